// Package transport moves the bytes of one connection: over a socket that is used by its descriptor, over any net.Conn,
// or over TLS on either of them. It receives, sends what is taken now, waits, closes a half and closes the connection.
// It knows nothing of protocols, queues or parking.
package transport

import (
	"errors"
	"io"
	"net"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/sys"
)

// Conn is a transport. At most one goroutine, the reader, may read and one, the sender, may send at a time. All other
// methods may be called concurrently. A Conn must not be copied after first use.
type Conn struct {
	below
	secured
}

// Init makes c the transport over nc. With raw, a socket of the standard library is used by its descriptor, where the
// system allows it. A tls.Conn that comes from Client, or that was given away, runs on the connection below it.
func (c *Conn) Init(nc net.Conn, raw bool) {
	if l := idleLayer(nc); l != nil {
		nc = l.Below
		l.owner, l.ready, c.tls = &c.below, true, l
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

// NetConn returns the connection, or the *tls.Conn on it.
func (c *Conn) NetConn() net.Conn {
	if c.tls != nil {
		return c.tls.conn
	}
	return c.nc
}

// Below returns the connection below TLS, or the connection if there is no TLS.
func (c *Conn) Below() net.Conn { return c.nc }

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
