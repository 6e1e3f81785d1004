package netconn

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/sys"
)

// takenConn is what TakeOver returns inside the latch, where the net.Conn's Read and Close cannot be used until the
// latch has been left. Until then it receives from the descriptor and waits through the lot; afterwards it passes
// everything on.
type takenConn struct {
	net.Conn // Write, addresses, write deadlines: none of them needs the read lock
	c        *Conn
	ready    chan struct{} // something happened: the lot's event, a new deadline, Close
	free     chan struct{} // closed when the latch has been left

	mu       sync.Mutex
	closed   bool
	deadline time.Time // for reading
}

func newTakenConn(c *Conn) *takenConn {
	t := &takenConn{Conn: c.nc, c: c, ready: make(chan struct{}, 1), free: make(chan struct{})}
	c.wrapper.Store(t)
	c.eng.keepLot(+1)
	return t
}

// releaseTaken says that the latch has been left: the wrapper's owner has the connection to himself.
func (c *Conn) releaseTaken() {
	t := c.wrapper.Load()
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.leaveLot()
	c.nc.SetReadDeadline(t.deadline)
	if t.closed {
		c.nc.Close()
	}
	close(t.free)
	c.eng.keepLot(-1)
}

// wake makes a Read that waits look around.
func (t *takenConn) wake() {
	select {
	case t.ready <- struct{}{}:
	default:
	}
}

func (t *takenConn) Read(p []byte) (int, error) {
	for {
		select {
		case <-t.free:
			return t.Conn.Read(p)
		default:
		}
		if len(p) == 0 {
			return 0, nil
		}
		n, wait, err := t.receive(p)
		if n > 0 || err != nil {
			return n, err
		}
		if err := t.wait(wait); err != nil {
			return 0, err
		}
	}
}

// receive tries once, without waiting; wait is how long the deadline leaves, or negative for ever.
func (t *takenConn) receive(p []byte) (n int, wait time.Duration, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	wait = -1
	if t.closed {
		return 0, 0, net.ErrClosed
	}
	if !t.deadline.IsZero() {
		if wait = time.Until(t.deadline); wait <= 0 {
			return 0, 0, os.ErrDeadlineExceeded
		}
	}
	var errno syscall.Errno
	cerr := t.c.raw().Control(func(fd uintptr) { n, errno = sys.Recv(int(fd), p) })
	switch {
	case cerr != nil:
		return 0, 0, cerr
	case errno == syscall.EAGAIN:
		return 0, wait, nil
	case errno != 0:
		return 0, 0, errno
	case n == 0:
		return 0, 0, io.EOF
	}
	return n, wait, nil
}

// wait waits for input, the end of the latch, or at most d.
func (t *takenConn) wait(d time.Duration) error {
	if left, told := t.askLot(); left {
		return nil // Read goes on through the net.Conn
	} else if !told {
		return errNoLot
	}
	var expired <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-t.ready:
	case <-t.free:
	case <-expired:
	}
	return nil
}

// errNoLot means that no descriptor was left to wait with.
var errNoLot = errors.New("netconn: cannot wait inside the latch: no lot")

// askLot has the lot wake us, unless the latch has been left.
func (t *takenConn) askLot() (left, told bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.free:
		return true, false
	default:
		return false, t.c.askLot(sys.IN)
	}
}

// Close ends the connection. Inside the latch the descriptor is closed when the latch is left.
func (t *takenConn) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return net.ErrClosed
	}
	t.closed = true
	select {
	case <-t.free:
		return t.Conn.Close()
	default:
	}
	t.wake()
	return t.c.raw().Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutBoth) })
}

// CloseWrite ends our half.
func (t *takenConn) CloseWrite() error {
	return t.c.raw().Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutWrite) })
}

func (t *takenConn) SetReadDeadline(d time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.deadline = d
	select {
	case <-t.free:
		return t.Conn.SetReadDeadline(d)
	default:
		t.wake()
		return nil
	}
}

func (t *takenConn) SetDeadline(d time.Time) error {
	if err := t.SetReadDeadline(d); err != nil {
		return err
	}
	return t.Conn.SetWriteDeadline(d)
}
