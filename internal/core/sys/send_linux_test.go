package sys

import (
	"bytes"
	"io"
	"syscall"
	"testing"
)

// pattern returns size bytes that are not the same when shifted.
func pattern(size int) []byte {
	p := make([]byte, size)
	for i := range p {
		p[i] = byte(i*7 + i>>8)
	}
	return p
}

// Send sends any number of bytes, unchanged and in order.
func TestSendSizes(t *testing.T) {
	for _, size := range []int{0, 1, 4096, RawLimit, RawLimit + 1, 1 << 20} {
		fd, _, far := tcpPair(t)
		want := pattern(size)
		got := make(chan []byte)
		go func() {
			b := make([]byte, size)
			n, _ := io.ReadFull(far, b)
			got <- b[:n]
		}()
		rest := want
		until(t, "everything sent", func() bool {
			n, err := Send(fd, rest, false)
			if err != 0 && err != syscall.EAGAIN {
				t.Fatal(err)
			}
			rest = rest[n:]
			return len(rest) == 0
		})
		if !bytes.Equal(<-got, want) {
			t.Errorf("%d bytes: other bytes arrived", size)
		}
	}
}

// SendTwo sends a before b, whatever their sizes are.
func TestSendTwoKeepsTheOrder(t *testing.T) {
	for _, sizes := range [][2]int{{0, 0}, {3, 0}, {0, 3}, {1, 1}, {100, 70_000}, {70_000, 100}, {300_000, 300_000}} {
		fd, _, far := tcpPair(t)
		whole := pattern(sizes[0] + sizes[1])
		a, b := whole[:sizes[0]], whole[sizes[0]:]
		got := make(chan []byte)
		go func() {
			all := make([]byte, len(whole))
			n, _ := io.ReadFull(far, all)
			got <- all[:n]
		}()
		until(t, "everything sent", func() bool {
			n, err := SendTwo(fd, a, b)
			if err != 0 && err != syscall.EAGAIN {
				t.Fatal(err)
			}
			fromA := min(n, len(a))
			a, b = a[fromA:], b[n-fromA:]
			return len(a)+len(b) == 0
		})
		if !bytes.Equal(<-got, whole) {
			t.Errorf("%v: other bytes arrived", sizes)
		}
	}
}

// Send after the end returns an error and raises no signal. Without MSG_NOSIGNAL the kernel raises SIGPIPE, which ends a
// program whose descriptor is 1 or 2.
func TestSendAfterTheEnd(t *testing.T) {
	a, b := unixPair(t)
	_ = Shutdown(b, ShutBoth)
	if n, err := Send(a, []byte("x"), false); n != 0 || err != syscall.EPIPE {
		t.Errorf("Send: %d, %v; want EPIPE", n, err)
	}
	if n, err := SendTwo(a, []byte("x"), []byte("y")); n != 0 || err != syscall.EPIPE {
		t.Errorf("SendTwo: %d, %v; want EPIPE", n, err)
	}
}

// Shutdown ends a read that waits on another goroutine.
func TestShutdownWakesAReader(t *testing.T) {
	fd, near, _ := tcpPair(t)
	ended := make(chan error)
	go func() {
		_, err := near.Read(make([]byte, 1))
		ended <- err
	}()
	if err := Shutdown(fd, ShutBoth); err != 0 {
		t.Fatal(err)
	}
	if err := <-ended; err != io.EOF {
		t.Errorf("the reader got %v", err)
	}
}

// After Reset, the close of a socket makes the peer see a reset.
func TestReset(t *testing.T) {
	fd, near, far := tcpPair(t)
	if err := Reset(fd); err != 0 {
		t.Fatal(err)
	}
	_ = near.Close()
	_, err := far.Read(make([]byte, 1))
	if !isErrno(err, syscall.ECONNRESET) {
		t.Errorf("the peer read %v, want a reset", err)
	}
	if Shutdown(-1, ShutBoth) != syscall.EBADF || Reset(-1) != syscall.EBADF {
		t.Error("a bad descriptor was accepted")
	}
}

// After Disconnect the peer sees a reset, a reader that waits is woken, and the descriptor stays ours.
func TestDisconnect(t *testing.T) {
	fd, near, far := tcpPair(t)
	ended := make(chan error)
	go func() {
		_, err := near.Read(make([]byte, 1))
		ended <- err
	}()
	if err := Disconnect(fd); err != 0 {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("a reader that waited got data")
	}
	if _, err := far.Read(make([]byte, 1)); err == nil {
		t.Error("the peer read data")
	} else if Native && !isErrno(err, syscall.ECONNRESET) {
		t.Errorf("the peer read %v, want a reset", err)
	}
	if _, err := Send(fd, []byte("x"), false); err == 0 || err == syscall.EBADF {
		t.Errorf("Send afterwards: %v", err)
	}
	if Disconnect(-1) != syscall.EBADF {
		t.Error("a bad descriptor was accepted")
	}
}
