package netconn

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/lot"
	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/core/transport"
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
// everything on. The rest of what a *net.TCPConn has needs no read lock and works at once. The *net.TCPConn itself cannot
// be handed out: its Read and Close would wait for the latch, which waits for the handler that calls them.
type hijackedConn struct {
	net.Conn // its Write, addresses and write deadlines do not need the read lock
	transport.SocketMethods
	engineConn *Conn
	released   chan struct{} // closed when the latch has been left

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at an event of the lot, a new deadline, and Close
	closed   bool
	deadline time.Time // read deadline
}

func newHijackedConn(c *Conn) *hijackedConn {
	c.eng.addOtherUsers(+1)
	below := c.tr.Below()
	return &hijackedConn{
		Conn: below, SocketMethods: transport.SocketMethods{Below: below}, engineConn: c,
		changed: make(chan struct{}), released: make(chan struct{}),
	}
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
	var errno syscall.Errno
	wait, err = h.try(func(fd uintptr) bool {
		n, errno = sys.Recv(int(fd), p)
		return errno != syscall.EAGAIN
	})
	switch {
	case err != nil || wait != nil:
		return 0, wait, err
	case errno != 0:
		return 0, nil, errno
	case n == 0:
		return 0, nil, io.EOF
	}
	return n, nil, nil
}

// try calls f once with the descriptor. If f returns false, for want of input, wait waits as receive's does; else it is nil.
func (h *hijackedConn) try(f func(fd uintptr) bool) (wait func(), err error) {
	h.mu.Lock()
	happened, deadline, closed := h.changed, h.deadline, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return nil, net.ErrClosed
	case h.latchLeft():
		return func() {}, nil
	case !deadline.IsZero() && !time.Now().Before(deadline):
		return nil, os.ErrDeadlineExceeded
	}
	done := false
	if err := h.engineConn.tr.Raw().Control(func(fd uintptr) { done = f(fd) }); err != nil || done {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.latchLeft() && !h.closed && !h.engineConn.ask(lot.Input) {
		return nil, errNoLot
	}
	return func() { h.wait(happened, deadline) }, nil
}

// SyscallConn implements syscall.Conn.
func (h *hijackedConn) SyscallConn() (syscall.RawConn, error) {
	raw, err := h.SocketMethods.SyscallConn()
	return hijackedRaw{raw, h}, err
}

// hijackedRaw is the raw connection of a hijackedConn. Its Control and Write do not need the read lock.
type hijackedRaw struct {
	syscall.RawConn
	h *hijackedConn
}

// Read implements syscall.RawConn. Package net calls it for what io.Copy copies to a socket.
func (r hijackedRaw) Read(f func(fd uintptr) bool) error {
	for !r.h.latchLeft() {
		wait, err := r.h.try(f)
		if wait == nil {
			return err
		}
		wait()
	}
	return r.RawConn.Read(f)
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

// ReadFrom writes what src returns; the system does it where it can, from a file or another socket.
func (h *hijackedConn) ReadFrom(src io.Reader) (int64, error) { return io.Copy(h.Conn, src) }

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
