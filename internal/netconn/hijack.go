package netconn

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/lot"
	"github.com/shockwave-go/shockwave/internal/sys"
)

// Hijack sends the queued output and takes the connection out of the engine. The caller owns the returned connection
// and the bytes that were read ahead and not taken. Outside the latch the connection is the accepted net.Conn, or the
// *tls.Conn on it, without deadlines. Inside the latch it is a wrapper, which works at once and passes everything on
// after Data has returned.
func (c *Conn) Hijack() (net.Conn, []byte, error) {
	if c.ownership.Load() == hijacked {
		return nil, nil, ErrHijacked
	}
	if c.aborted() {
		return nil, nil, ErrAbort
	}
	if err := c.seal(); err != nil {
		return nil, nil, err
	}
	c.takeTransport()
	ahead := append([]byte(nil), c.Unread()...)
	c.r = c.w
	c.leaveLot()
	below := c.tr.Below()
	if c.Latched() {
		given := newHijackedConn(c)
		c.ensureExtra().hijacked.Store(given)
		below = given
	}
	c.eng.remove(&c.Link)
	c.setState(StateHijacked)
	c.ownership.Store(hijacked)
	return c.tr.GiveAway(below), ahead, nil
}

// hijackedConn is the result of Hijack inside the latch, where Read and Close of the net.Conn cannot be used until the
// latch has been left. Until then it receives from the descriptor and waits through the lot; afterwards it passes
// everything on.
type hijackedConn struct {
	net.Conn   // its Write, addresses and write deadlines do not need the read lock
	engineConn *Conn
	released   chan struct{} // closed when the latch has been left

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at an event of the lot, a new deadline, and Close
	closed   bool
	deadline time.Time // read deadline
}

func newHijackedConn(c *Conn) *hijackedConn {
	c.eng.addOtherUsers(+1)
	return &hijackedConn{Conn: c.tr.Below(), engineConn: c, changed: make(chan struct{}), released: make(chan struct{})}
}

// latchLeft notes that the latch has been left, and makes the hijackedConn, if there is one, pass everything on.
func (c *Conn) latchLeft() {
	w := c.extra.Load()
	if w == nil {
		return
	}
	h := w.hijacked.Load()
	if h == nil {
		return
	}
	h.mu.Lock()
	c.leaveLot()
	h.Conn.SetReadDeadline(h.deadline)
	if h.closed {
		h.Conn.Close()
	}
	close(h.released)
	h.mu.Unlock()
	c.eng.addOtherUsers(-1) // may wait for the lot's goroutine, which may be about to call h.wake
}

// wake makes every waiting Read check again.
func (h *hijackedConn) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeLocked()
}

func (h *hijackedConn) wakeLocked() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// latchLeft reports whether the latch has been left.
func (h *hijackedConn) latchLeft() bool {
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

func (h *hijackedConn) Read(p []byte) (int, error) {
	for !h.latchLeft() {
		if len(p) == 0 {
			return 0, nil
		}
		n, wait, err := h.receive(p)
		if n > 0 || err != nil {
			return n, err
		}
		wait()
	}
	return h.Conn.Read(p)
}

// errNoLot means that there is no descriptor for a lot to wait with.
var errNoLot = errors.New("netconn: cannot wait inside the latch: no lot")

// receive tries to receive once, without blocking. If it returns neither bytes nor an error, wait waits for input, the
// end of the latch, a new deadline or the current deadline.
func (h *hijackedConn) receive(p []byte) (n int, wait func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return 0, nil, net.ErrClosed
	}
	if h.latchLeft() {
		return 0, func() {}, nil
	}
	if !h.deadline.IsZero() && !time.Now().Before(h.deadline) {
		return 0, nil, os.ErrDeadlineExceeded
	}
	var errno syscall.Errno
	cerr := h.engineConn.tr.Raw().Control(func(fd uintptr) { n, errno = sys.Recv(int(fd), p) })
	switch {
	case cerr != nil:
		return 0, nil, cerr
	case errno == syscall.EAGAIN && !h.engineConn.ask(lot.Input):
		return 0, nil, errNoLot
	case errno == syscall.EAGAIN:
		happened, deadline := h.changed, h.deadline
		return 0, func() { h.wait(happened, deadline) }, nil
	case errno != 0:
		return 0, nil, errno
	case n == 0:
		return 0, nil, io.EOF
	}
	return n, nil, nil
}

func (h *hijackedConn) wait(happened <-chan struct{}, deadline time.Time) {
	var expired <-chan time.Time
	if !deadline.IsZero() {
		timer := time.NewTimer(time.Until(deadline))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-happened:
	case <-h.released:
	case <-expired:
	}
}

// Close closes the connection. Inside the latch it only shuts it down; the descriptor is closed when the latch is left.
func (h *hijackedConn) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return net.ErrClosed
	}
	h.closed = true
	if h.latchLeft() {
		return h.Conn.Close()
	}
	h.wakeLocked()
	return h.engineConn.tr.Raw().Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutBoth) })
}

// CloseWrite closes the write half.
func (h *hijackedConn) CloseWrite() error {
	return h.engineConn.tr.Raw().Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutWrite) })
}

func (h *hijackedConn) SetReadDeadline(d time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deadline = d; h.latchLeft() {
		return h.Conn.SetReadDeadline(d)
	}
	h.wakeLocked()
	return nil
}

func (h *hijackedConn) SetDeadline(d time.Time) error {
	if err := h.SetReadDeadline(d); err != nil {
		return err
	}
	return h.Conn.SetWriteDeadline(d)
}
