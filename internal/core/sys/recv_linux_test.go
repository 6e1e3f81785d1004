package sys

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// The fast variant runs on the systems where it should.
func TestNative(t *testing.T) {
	if want := runtime.GOARCH == "amd64" && !noasm; runtime.GOARCH == "amd64" && Native != want {
		t.Errorf("Native is %v, want %v", Native, want)
	}
}

// Recv returns EAGAIN for an empty socket, then data, then 0 for the end of the stream.
func TestRecvDataThenNothingThenEnd(t *testing.T) {
	a, b := unixPair(t)
	p := make([]byte, 16)
	if _, err := Recv(a, p); err != syscall.EAGAIN {
		t.Fatalf("receive on a blocking, empty socket: %v, want EAGAIN", err)
	}
	if _, err := syscall.Write(b, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if n, err := Recv(a, p); err != 0 || string(p[:n]) != "hello" {
		t.Fatalf("received %q, %v", p[:n], err)
	}
	if err := Shutdown(b, ShutWrite); err != 0 {
		t.Fatal(err)
	}
	if n, err := Recv(a, p); n != 0 || err != 0 {
		t.Fatalf("after the end: %d, %v; want 0 and no error", n, err)
	}
}

// Peek takes nothing, and tells bytes, the end and an error apart.
func TestPeek(t *testing.T) {
	a, b := unixPair(t)
	if n, err := Peek(a); n != 0 || err != syscall.EAGAIN {
		t.Fatalf("on an empty socket: %d, %v", n, err)
	}
	if _, err := syscall.Write(b, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := Peek(a); n != 1 || err != 0 {
			t.Fatalf("with bytes: %d, %v", n, err)
		}
	}
	if got := recvAll(t, a, 4); string(got) != "kept" {
		t.Fatalf("received %q", got)
	}
	if err := Shutdown(b, ShutWrite); err != 0 {
		t.Fatal(err)
	}
	if n, err := Peek(a); n != 0 || err != 0 {
		t.Fatalf("at the end: %d, %v", n, err)
	}
	if n, err := Peek(-1); n != 0 || err != syscall.EBADF {
		t.Errorf("without a socket: %d, %v", n, err)
	}
	if n := testing.AllocsPerRun(100, func() { Peek(a) }); Native && n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Recv into an empty slice takes no byte.
func TestRecvNothingAskedFor(t *testing.T) {
	a, b := unixPair(t)
	if _, err := syscall.Write(b, []byte("kept")); err != nil {
		t.Fatal(err)
	}
	if n, err := Recv(a, nil); n != 0 || err != 0 {
		t.Fatalf("Recv(nil) = %d, %v", n, err)
	}
	if got := recvAll(t, a, 4); string(got) != "kept" {
		t.Fatalf("received %q", got)
	}
}

// Receives on a bad descriptor fail with EBADF.
func TestRecvBadDescriptor(t *testing.T) {
	if n, err := Recv(-1, make([]byte, 1)); n != 0 || err != syscall.EBADF {
		t.Errorf("Recv: %d, %v", n, err)
	}
	if n, inq, err := RecvInq(-1, make([]byte, 1)); n != 0 || inq != InqUnknown || err != syscall.EBADF {
		t.Errorf("RecvInq: %d, %d, %v", n, inq, err)
	}
}

// RecvInq returns how many bytes the socket still holds.
func TestRecvInqCounts(t *testing.T) {
	fd, _, far := tcpPair(t)
	if !SetInq(fd) {
		t.Skip("the kernel has no TCP_INQ")
	}
	p := make([]byte, 4)
	if n, inq, err := RecvInq(fd, p); n != 0 || inq != InqUnknown || err != syscall.EAGAIN {
		t.Fatalf("nothing there: %d, inq %d, %v", n, inq, err)
	}
	if _, err := far.Write([]byte("0123456789")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		text string
		inq  int
	}{{"0123", 6}, {"4567", 2}, {"89", 0}} {
		var n, inq int
		until(t, "data", func() bool {
			var err syscall.Errno
			n, inq, err = RecvInq(fd, p)
			return err != syscall.EAGAIN
		})
		if string(p[:n]) != want.text || inq != want.inq {
			t.Fatalf("received %q with %d left, want %q with %d", p[:n], inq, want.text, want.inq)
		}
	}
}

// If data and FIN make one event, the receive that takes the data says that there is more to learn; otherwise a wait for
// the next event would last for ever.
func TestRecvInqSeesTheEnd(t *testing.T) {
	for range 200 {
		fd, near, far := tcpPair(t)
		if !SetInq(fd) {
			t.Skip("the kernel has no TCP_INQ")
		}
		if _, err := far.Write([]byte("last")); err != nil {
			t.Fatal(err)
		}
		if err := far.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		until(t, "the end", func() bool { return peerClosed(fd) })
		p := make([]byte, 64)
		n, inq, err := RecvInq(fd, p)
		if err != 0 || string(p[:n]) != "last" {
			t.Fatalf("received %q, %v", p[:n], err)
		}
		if inq == 0 {
			t.Fatal("inq says that nothing is left, but the end of the stream is")
		}
		if n, _, err := RecvInq(fd, p); n != 0 || err != 0 {
			t.Fatalf("after the data: %d, %v; want the end", n, err)
		}
		_ = near.Close()
		_ = far.Close()
	}
}

// peerClosed reports whether the FIN has arrived, without reading anything.
func peerClosed(fd int) bool {
	poll, err := NewPoll()
	if err != nil {
		return false
	}
	defer func() { _ = poll.Close() }()
	if poll.Add(fd, RDHUP, 0) != 0 {
		return false
	}
	n, _ := poll.Wait(make([]Event, 1), 0)
	return n == 1
}

// Without TCP_INQ, RecvInq returns InqUnknown.
func TestRecvInqWithoutTheOption(t *testing.T) {
	a, b := unixPair(t)
	if SetInq(a) {
		t.Error("SetInq says that a unix socket has TCP_INQ")
	}
	if _, err := syscall.Write(b, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if n, inq, err := RecvInq(a, make([]byte, 4)); n != 1 || inq != InqUnknown || err != 0 {
		t.Fatalf("%d, inq %d, %v; want InqUnknown", n, inq, err)
	}
}

// Recv gives no room for control messages, so a peer of a unix socket cannot fill our descriptor table.
func TestRecvLeavesDescriptorsAlone(t *testing.T) {
	a, b := unixPair(t)
	before := openFiles(t)
	if err := syscall.Sendmsg(b, []byte("x"), syscall.UnixRights(0, 1, 2), nil, 0); err != nil {
		t.Fatal(err)
	}
	if got := recvAll(t, a, 1); string(got) != "x" {
		t.Fatalf("received %q", got)
	}
	if after := openFiles(t); after != before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(names)
}

// Recv returns although the socket is blocking: a program that calls File().Fd() makes it so for all users. Without
// MSG_DONTWAIT this test would stand still, and under a raw system call the whole program.
func TestRecvAfterBlockingModeReturns(t *testing.T) {
	fd, near, _ := tcpPair(t)
	f, err := near.File()
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(int(f.Fd()), false); err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	if _, err := Recv(fd, make([]byte, 8)); err != syscall.EAGAIN {
		t.Errorf("Recv: %v, want EAGAIN", err)
	}
	if _, _, err := RecvInq(fd, make([]byte, 8)); err != syscall.EAGAIN {
		t.Errorf("RecvInq: %v, want EAGAIN", err)
	}
	chunk := make([]byte, 32<<10)
	until(t, "a full socket", func() bool {
		_, err := Send(fd, chunk, false)
		return err == syscall.EAGAIN
	})
	if _, err := SendTwo(fd, chunk, chunk); err != syscall.EAGAIN {
		t.Errorf("SendTwo: %v, want EAGAIN", err)
	}
}
