// Package transport moves the bytes of one connection: over a socket that is used by its descriptor, over any net.Conn,
// or over TLS on either of them. It receives, sends what is taken now, waits, shuts down a half and closes. It knows
// nothing of protocols, queues or parking.
package transport

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

// Conn is a transport. One goroutine reads and one sends, who they are is the caller's affair; everything else may be
// called concurrently. A Conn must not be copied once it is used.
type Conn struct {
	nc   net.Conn
	tls  *tlsLayer // on nc; nil without
	w    *writer   // of who sends; made when needed
	kind kind
	inq  inq // of who reads

	mu       sync.Mutex // guards what follows, and the deadlines of nc
	woken    side       // whose wait WakeReader and WakeWriter have ended
	writing  bool       // a brittle nc writes
	detached bool       // nc is closed, or somebody else's: no wake is to reach it
}

// kind is how a net.Conn can be used.
type kind uint8

const (
	plain   kind = iota // through its methods
	socket              // by its descriptor
	brittle             // through its methods, and a write that a deadline has cut is its last: a foreignTLS
)

// side is a set of those who wait.
type side uint8

const (
	reads side = 1 << iota
	writes
)

// Init makes c the transport over nc. With raw a socket of the standard library's is used by its descriptor, where the
// system allows it. A tls.Conn of Client, or one that was detached, runs on the connection below it.
func (c *Conn) Init(nc net.Conn, raw bool) {
	if l := idleLayer(nc); l != nil {
		nc = l.below
		l.owner, l.ready, c.tls = c, true, l
	}
	c.nc = nc
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn:
		// A type that embeds one and counts or decodes what passes must keep seeing every byte, so nothing less exact
		// will do.
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

// Below returns the connection below TLS, or without TLS the connection.
func (c *Conn) Below() net.Conn { return c.nc }

// Raw returns the raw connection of a socket. It is made anew each time: an idle connection keeps none.
func (c *Conn) Raw() syscall.RawConn {
	raw, err := c.nc.(syscall.Conn).SyscallConn()
	if err != nil {
		panic("transport: a socket without a raw connection: " + err.Error()) // only a nil *net.TCPConn is
	}
	return raw
}

// Refuses reports whether a socket takes nothing any more, as after a reset; what the system says of others is not asked.
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

// Read waits for bytes and reads some of them into p.
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

// emptyReads is how many reads in a row may bring neither a byte nor an error, which io.Reader discourages and allows.
const emptyReads = 100

// past is a deadline that has passed, never is none.
var (
	past  = time.Unix(1, 0)
	never time.Time
)

// WakeReader ends a wait of the reader that is under way, or else the next one: it fails with a timeout. Set the flag
// that the reader is to see first.
func (c *Conn) WakeReader() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.detached {
		c.woken |= reads
		c.nc.SetReadDeadline(past)
	}
}

// Wakes reports whether a wait of the reader can be ended without the connection: a net.Conn of unknown kind may have
// deadlines that do nothing.
func (c *Conn) Wakes() bool {
	if c.kind == socket {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := never
	if c.woken&reads != 0 {
		at = past
	}
	return c.detached || c.nc.SetReadDeadline(at) == nil
}

// WakeWriter is WakeReader for who sends.
func (c *Conn) WakeWriter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.detached && (c.kind != brittle || c.writing) {
		c.woken |= writes
		c.nc.SetWriteDeadline(past)
	}
}

// ReaderWoken takes the mark of WakeReader back, and reports whether there was one: another timeout than that has been
// set by somebody else. Flags are to be looked at afterwards.
func (c *Conn) ReaderWoken() bool { return unwake(c, reads, net.Conn.SetReadDeadline) }

// WriterWoken is ReaderWoken for who sends.
func (c *Conn) WriterWoken() bool { return unwake(c, writes, net.Conn.SetWriteDeadline) }

func unwake(c *Conn, who side, set func(net.Conn, time.Time) error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.woken&who != 0
	if c.woken &^= who; was && !c.detached {
		set(c.nc, never)
	}
	return was
}

// TimedOut reports whether err says that a wait has ended at a deadline. A net.Conn of unknown kind may have an error of
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
