package transport

import (
	"net"
	"sync"
	"time"
)

// kind is how a net.Conn is used.
type kind uint8

const (
	plain   kind = iota // through its methods
	socket              // by its descriptor
	brittle             // through its methods, and it cannot write again after a deadline has cut a write: a foreignTLS
)

// inq says whether the kernel reports with each receive how much is left.
type inq uint8

const (
	notAsked inq = iota // asking costs a system call, which a connection for one message saves
	counted
	uncounted
)

// side is a set of the reader and the sender.
type side uint8

const (
	reads side = 1 << iota
	writes
)

// wakes is the net.Conn of a transport, how it is used, and what interrupts waits for it: deadlines. All methods may be called concurrently.
type wakes struct {
	nc   net.Conn
	kind kind
	inq  inq // the reader's

	mu       sync.Mutex // guards the fields below and the deadlines of nc
	woken    side       // the sides that WakeReader and WakeWriter have woken
	writing  bool       // a write of a brittle nc is in progress
	detached bool       // nc is closed or given away: wakes must not reach it
}

// Socket reports whether the connection is used by its descriptor.
func (w *wakes) Socket() bool { return w.kind == socket }

// Brittle reports whether the connection cannot write again after a deadline has cut a write.
func (w *wakes) Brittle() bool { return w.kind == brittle }

// past is a deadline that has passed, never means no deadline.
var (
	past  = time.Unix(1, 0)
	never time.Time
)

// WakeReader interrupts the reader's wait in progress, or else its next one: it fails with a timeout. The caller must
// first set the flag that the reader is to see.
func (w *wakes) WakeReader() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.detached {
		w.woken |= reads
		w.nc.SetReadDeadline(past)
	}
}

// Wakes reports whether the reader's wait can be interrupted without ending the connection. The deadlines of a net.Conn
// of unknown kind may do nothing.
func (w *wakes) Wakes() bool { return w.kind == socket || w.takesDeadlines() }

// takesDeadlines reports whether nc accepts deadlines.
func (w *wakes) takesDeadlines() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := never
	if w.woken&reads != 0 {
		at = past
	}
	return w.detached || w.nc.SetReadDeadline(at) == nil
}

// WakeWriter is WakeReader for the sender.
func (w *wakes) WakeWriter() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.detached && (w.kind != brittle || w.writing) {
		w.woken |= writes
		w.nc.SetWriteDeadline(past)
	}
}

// ReaderWoken clears the mark of WakeReader and reports whether it was set. If not, a timeout comes from a deadline
// that was set on the net.Conn itself. The reader must check its flags after this call.
func (w *wakes) ReaderWoken() bool { return clearWoken(w, reads, net.Conn.SetReadDeadline) }

// WriterWoken is ReaderWoken for the sender.
func (w *wakes) WriterWoken() bool { return clearWoken(w, writes, net.Conn.SetWriteDeadline) }

func clearWoken(c *wakes, of side, set func(net.Conn, time.Time) error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.woken&of != 0
	if c.woken &^= of; was && !c.detached {
		set(c.nc, never)
	}
	return was
}

// startWriting notes that a write of a brittle connection begins, which a wake may interrupt.
func (w *wakes) startWriting() {
	w.mu.Lock()
	w.writing = true
	w.mu.Unlock()
}

// wrote notes that the write of a brittle connection has ended. A wake that came too late is undone: it would cut the
// next write, and so end the connection.
func (w *wakes) wrote() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing = false
	if w.woken&writes != 0 && !w.detached {
		w.nc.SetWriteDeadline(never)
	}
}

// Detach prevents all later wakes from reaching the connection, and clears its deadlines.
func (w *wakes) Detach() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.detached = true
	w.nc.SetDeadline(never)
}
