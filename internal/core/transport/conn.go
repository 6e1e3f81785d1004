// Package transport moves the bytes of one connection: over a socket that is used by its descriptor, over any net.Conn,
// or over TLS on either of them. It receives, sends what is taken now, waits, closes a half and closes the connection.
// It knows nothing of protocols, queues or parking.
package transport

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Conn is a transport. At most one goroutine, the reader, may read and one, the sender, may send at a time. All other
// methods may be called concurrently. A Conn must not be copied after first use.
type Conn struct {
	nc   net.Conn
	tls  *tlsLayer // the TLS layer on nc; nil without TLS
	w    *writer   // the sender's; created when needed
	kind kind
	inq  inq // the reader's

	mu       sync.Mutex // guards the fields below and the deadlines of nc
	woken    side       // the sides that WakeReader and WakeWriter have woken
	writing  bool       // a write of a brittle nc is in progress
	detached bool       // nc is closed or given away: wakes must not reach it
}

// kind is how a net.Conn is used.
type kind uint8

const (
	plain   kind = iota // through its methods
	socket              // by its descriptor
	brittle             // through its methods, and it cannot write again after a deadline has cut a write: a foreignTLS
)

// side is a set of the reader and the sender.
type side uint8

const (
	reads side = 1 << iota
	writes
)

// Init makes c the transport over nc. With raw, a socket of the standard library is used by its descriptor, where the
// system allows it. A tls.Conn that comes from Client, or that was given away, runs on the connection below it.
func (c *Conn) Init(nc net.Conn, raw bool) {
	if l := idleLayer(nc); l != nil {
		nc = l.Below
		l.owner, l.ready, c.tls = c, true, l
	}
	c.nc = nc
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		// Only these exact types: a type that embeds one, and counts or decodes the data, must see every byte.
		if raw && sys.Available {
			c.kind = socket
		}
	case foreignTLS:
		c.kind = brittle
	}
}

// Socket reports whether the connection is used by its descriptor.
func (c *Conn) Socket() bool { return c.kind == socket }

// NetConn returns the connection, or the *tls.Conn on it.
func (c *Conn) NetConn() net.Conn {
	if c.tls != nil {
		return c.tls.conn
	}
	return c.nc
}

// Below returns the connection below TLS, or the connection if there is no TLS.
func (c *Conn) Below() net.Conn { return c.nc }

// Raw returns the raw connection of a socket. It is created on each call, so that an idle connection does not keep one.
func (c *Conn) Raw() syscall.RawConn {
	raw, err := c.nc.(syscall.Conn).SyscallConn()
	if err != nil {
		panic("transport: a socket without a raw connection: " + err.Error()) // only for a nil *net.TCPConn
	}
	return raw
}

// Refuses reports whether a socket accepts no more output, as after a reset. It returns false for other connections,
// without asking the system.
func (c *Conn) Refuses() (refuses bool) {
	switch c.nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		c.Raw().Control(func(fd uintptr) {
			_, errno := sys.Send(int(fd), nil, false)
			refuses = errno == syscall.EPIPE || errno == syscall.ECONNRESET
		})
	}
	return refuses
}

// Read waits for input and reads some of it into p.
func (c *Conn) Read(p []byte) (n int, err error) {
	from := io.Reader(c.nc)
	if c.tls != nil {
		from = c.tls.conn
	}
	for range emptyReads {
		if n, err = from.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// emptyReads limits consecutive reads without a byte and without an error, which io.Reader discourages but allows.
const emptyReads = 100

// past is a deadline that has passed, never means no deadline.
var (
	past  = time.Unix(1, 0)
	never time.Time
)

// WakeReader interrupts the reader's wait in progress, or else its next one: it fails with a timeout. The caller must
// first set the flag that the reader is to see.
func (c *Conn) WakeReader() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.detached {
		c.woken |= reads
		c.nc.SetReadDeadline(past)
	}
}

// Wakes reports whether the reader's wait can be interrupted without ending the connection. The deadlines of a net.Conn
// of unknown kind may do nothing.
func (c *Conn) Wakes() bool { return c.kind == socket || c.takesDeadlines() }

// takesDeadlines reports whether nc accepts deadlines.
func (c *Conn) takesDeadlines() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := never
	if c.woken&reads != 0 {
		at = past
	}
	return c.detached || c.nc.SetReadDeadline(at) == nil
}

// WakeWriter is WakeReader for the sender.
func (c *Conn) WakeWriter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.detached && (c.kind != brittle || c.writing) {
		c.woken |= writes
		c.nc.SetWriteDeadline(past)
	}
}

// ReaderWoken clears the mark of WakeReader and reports whether it was set. If not, a timeout comes from a deadline
// that was set on the net.Conn itself. The reader must check its flags after this call.
func (c *Conn) ReaderWoken() bool { return clearWoken(c, reads, net.Conn.SetReadDeadline) }

// WriterWoken is ReaderWoken for the sender.
func (c *Conn) WriterWoken() bool { return clearWoken(c, writes, net.Conn.SetWriteDeadline) }

func clearWoken(c *Conn, of side, set func(net.Conn, time.Time) error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.woken&of != 0
	if c.woken &^= of; was && !c.detached {
		set(c.nc, never)
	}
	return was
}

// TimedOut reports whether err means that a deadline has passed. A net.Conn of unknown kind may have an error type of
// its own for that.
func TimedOut(err error) bool {
	if err == nil {
		return false
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}
