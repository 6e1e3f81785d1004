package sys

import (
	"os"
	"syscall"
	"testing"
)

func newPoll(t *testing.T) *Poll {
	t.Helper()
	poll, err := NewPoll()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = poll.Close() })
	return poll
}

// A one-shot descriptor is reported once, with its data, until Mod rearms it.
func TestPollTellsDataOnce(t *testing.T) {
	poll := newPoll(t)
	a, b := unixPair(t)
	const data = 0xFEDC_BA98_7654_3210
	if err := poll.Add(a, IN|RDHUP|ONESHOT, data); err != 0 {
		t.Fatal(err)
	}
	events := make([]Event, 4)
	if n, err := poll.Wait(events, 0); n != 0 || err != 0 {
		t.Fatalf("nothing happened, but Wait returned %d, %v", n, err)
	}
	if _, err := syscall.Write(b, []byte("x")); err != nil {
		t.Fatal(err)
	}
	n, err := poll.Wait(events, 5000)
	if n != 1 || err != 0 || !events[0].Has(IN) || events[0].Has(RDHUP|HUP|ERR) || events[0].Data() != data {
		t.Fatalf("Wait returned %d, %v, events %#x, data %#x", n, err, events[0].Events, events[0].Data())
	}
	if _, err := syscall.Write(b, []byte("y")); err != nil {
		t.Fatal(err)
	}
	if n, _ := poll.Wait(events, 0); n != 0 {
		t.Fatal("a one-shot descriptor was reported twice")
	}
	if err := poll.Mod(a, IN|ONESHOT, data+1); err != 0 {
		t.Fatal(err)
	}
	// What came without a watch is reported as soon as there is one: no byte is lost between two waits.
	if n, _ := poll.Wait(events, 0); n != 1 || events[0].Data() != data+1 {
		t.Fatalf("after Mod: %d events, data %#x", n, events[0].Data())
	}
}

// The end of the peer's half is reported, and data alone is not the end.
func TestPollTellsTheEnd(t *testing.T) {
	poll := newPoll(t)
	fd, _, far := tcpPair(t)
	if err := poll.Add(fd, RDHUP|ONESHOT, 7); err != 0 {
		t.Fatal(err)
	}
	if _, err := far.Write([]byte("data alone is not the end")); err != nil {
		t.Fatal(err)
	}
	recvAll(t, fd, 25)
	events := make([]Event, 4)
	if n, _ := poll.Wait(events, 0); n != 0 {
		t.Fatalf("the data is %#x", events[0].Events)
	}
	if err := far.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if n, _ := poll.Wait(events, 5000); n != 1 || !events[0].Has(RDHUP) || events[0].Has(ERR) {
		t.Fatalf("half close: %d events, %#x", n, events[0].Events)
	}
	if err := poll.Mod(fd, RDHUP|ONESHOT, 7); err != 0 {
		t.Fatal(err)
	}
	_ = far.SetLinger(0)
	_ = far.Close()
	until(t, "the reset", func() bool {
		n, _ := poll.Wait(events, 5000)
		if n == 1 && !events[0].Has(ERR|HUP) {
			poll.Mod(fd, RDHUP|ONESHOT, 7)
		}
		return n == 1 && events[0].Has(ERR|HUP)
	})
}

// Add, Mod and Del fail with the kernel's error for a descriptor in the wrong state.
func TestPollErrors(t *testing.T) {
	poll := newPoll(t)
	a, _ := unixPair(t)
	if err := poll.Mod(a, IN, 0); err != syscall.ENOENT {
		t.Errorf("Mod of what is not watched: %v", err)
	}
	if err := poll.Add(a, IN, 0); err != 0 {
		t.Error(err)
	}
	if err := poll.Add(a, IN, 0); err != syscall.EEXIST {
		t.Errorf("Add twice: %v", err)
	}
	if err := poll.Del(a); err != 0 {
		t.Error(err)
	}
	if err := poll.Del(a); err != syscall.ENOENT {
		t.Errorf("Del twice: %v", err)
	}
	if err := poll.Add(-1, IN, 0); err != syscall.EBADF {
		t.Errorf("Add(-1): %v", err)
	}
	if _, err := poll.Wait(nil, 0); err != syscall.EINVAL {
		t.Errorf("Wait without room: %v", err)
	}
}

// The lot has no thread of its own: the runtime watches its descriptor as one more.
func TestPollWaitsInGosPoller(t *testing.T) {
	poll, err := NewPoll()
	if err != nil {
		t.Fatal(err)
	}
	f := os.NewFile(uintptr(poll.FD()), "epoll") // owns the descriptor from here on
	raw, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	a, b := unixPair(t)
	if err := poll.Add(a, IN|ONESHOT, 5); err != 0 {
		t.Fatal(err)
	}
	told := make(chan uint64)
	waitErr := make(chan error)
	go func() {
		events := make([]Event, 1)
		for {
			err := raw.Read(func(uintptr) bool {
				n, _ := poll.Wait(events, 0)
				return n > 0
			})
			if err != nil {
				waitErr <- err
				return
			}
			told <- events[0].Data()
		}
	}()
	for range 3 {
		if _, err := syscall.Write(b, []byte("x")); err != nil {
			t.Fatal(err)
		}
		if data := <-told; data != 5 {
			t.Fatalf("data %d", data)
		}
		recvAll(t, a, 1)
		if err := poll.Mod(a, IN|ONESHOT, 5); err != 0 {
			t.Fatal(err)
		}
	}
	_ = f.Close()
	if err := <-waitErr; err == nil {
		t.Error("the wait ended without an error")
	}
}

// A closed descriptor whose number is used again is not watched.
func TestPollForgetsClosedDescriptors(t *testing.T) {
	poll := newPoll(t)
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fds[1]) }()
	if err := poll.Add(fds[0], IN, 1); err != 0 {
		t.Fatal(err)
	}
	_ = syscall.Close(fds[0])
	if err := poll.Mod(fds[0], IN, 1); err != syscall.EBADF && err != syscall.ENOENT {
		t.Fatalf("Mod of a closed descriptor: %v", err)
	}
	if n, _ := poll.Wait(make([]Event, 1), 0); n != 0 {
		t.Fatal("an event of a closed descriptor was reported")
	}
}
