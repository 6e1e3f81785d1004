// Package latchedconn has the connection that takes the place of a socket's net.Conn while that is inside the latch.
package latchedconn

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Latch is the connection whose latch is to be left. Any goroutine may call its methods.
type Latch interface {
	// Raw returns the raw connection. Only its Control and Write may be used.
	Raw() syscall.RawConn
	// AskInput has the lot report input, once, to Wake. It returns false where there is no lot.
	AskInput() bool
	// LeaveLot ends that.
	LeaveLot()
}

// Conn is the result of a hijack inside the latch, where Read and Close of the net.Conn cannot be used until the latch has been
// left. Until then it receives from the descriptor and waits through the lot; afterwards it passes everything on. The rest of
// what a *net.TCPConn has needs no read lock and works at once. The *net.TCPConn itself cannot be handed out: its Read and Close
// would wait for the latch, which waits for the handler that calls them. All methods may be called concurrently.
type Conn struct {
	net.Conn // its Write, addresses and write deadlines do not need the read lock
	transport.SocketMethods
	latch    Latch
	released chan struct{} // closed when the latch has been left

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced at an event of the lot, a new deadline, and Close
	closed   bool
	deadline time.Time // read deadline
}

// New returns the Conn for below, which is inside the latch. Left must be called when it has been left.
func New(below net.Conn, latch Latch) *Conn {
	return &Conn{
		Conn: below, SocketMethods: transport.SocketMethods{Below: below}, latch: latch,
		changed: make(chan struct{}), released: make(chan struct{}),
	}
}

// Left makes h pass everything on: the latch has been left.
func (h *Conn) Left() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.latch.LeaveLot()
	h.Conn.SetReadDeadline(h.deadline)
	if h.closed {
		h.Conn.Close()
	}
	close(h.released)
}

// Wake makes every waiting Read check again.
func (h *Conn) Wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wakeLocked()
}

func (h *Conn) wakeLocked() {
	close(h.changed)
	h.changed = make(chan struct{})
}

// isLeft reports whether the latch has been left.
func (h *Conn) isLeft() bool {
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

// Read implements net.Conn.
func (h *Conn) Read(p []byte) (int, error) {
	for !h.isLeft() {
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
var errNoLot = errors.New("netconn: too many open files to wait inside the latch")

// receive tries to receive once, without blocking. If it returns neither bytes nor an error, wait waits for input, the
// end of the latch, a new deadline or the current deadline.
func (h *Conn) receive(p []byte) (n int, wait func(), err error) {
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
func (h *Conn) try(f func(fd uintptr) bool) (wait func(), err error) {
	h.mu.Lock()
	happened, deadline, closed := h.changed, h.deadline, h.closed
	h.mu.Unlock()
	switch {
	case closed:
		return nil, net.ErrClosed
	case h.isLeft():
		return func() {}, nil
	case !deadline.IsZero() && !time.Now().Before(deadline):
		return nil, os.ErrDeadlineExceeded
	}
	done := false
	if err := h.latch.Raw().Control(func(fd uintptr) { done = f(fd) }); err != nil || done {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.isLeft() && !h.closed && !h.latch.AskInput() {
		return nil, errNoLot
	}
	return func() { h.wait(happened, deadline) }, nil
}

// SyscallConn implements syscall.Conn.
func (h *Conn) SyscallConn() (syscall.RawConn, error) {
	below, err := h.SocketMethods.SyscallConn()
	return rawConn{below, h}, err
}

// rawConn is the raw connection of a Conn. Its Control and Write do not need the read lock.
type rawConn struct {
	syscall.RawConn
	h *Conn
}

// Read implements syscall.RawConn. Package net calls it for what io.Copy copies to a socket.
func (r rawConn) Read(f func(fd uintptr) bool) error {
	for !r.h.isLeft() {
		wait, err := r.h.try(f)
		if wait == nil {
			return err
		}
		wait()
	}
	return r.RawConn.Read(f)
}

func (h *Conn) wait(happened <-chan struct{}, deadline time.Time) {
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
func (h *Conn) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return net.ErrClosed
	}
	h.closed = true
	if h.isLeft() {
		return h.Conn.Close()
	}
	h.wakeLocked()
	return h.latch.Raw().Control(func(fd uintptr) { sys.Shutdown(int(fd), sys.ShutBoth) })
}

// ReadFrom writes what src returns; the system does it where it can, from a file or another socket.
func (h *Conn) ReadFrom(src io.Reader) (int64, error) { return io.Copy(h.Conn, src) }

// SetReadDeadline implements net.Conn.
func (h *Conn) SetReadDeadline(d time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deadline = d; h.isLeft() {
		return h.Conn.SetReadDeadline(d)
	}
	h.wakeLocked()
	return nil
}

// SetDeadline implements net.Conn.
func (h *Conn) SetDeadline(d time.Time) error {
	if err := h.SetReadDeadline(d); err != nil {
		return err
	}
	return h.Conn.SetWriteDeadline(d)
}
