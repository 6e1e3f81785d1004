package websocket

import (
	"net"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
)

// Conn is a WebSocket connection.
//
//	open ──Close, CloseWrite──► closing ──the peer's close frame──► over
//	  │                            └────────── CloseTimeout ─────────►│
//	  ├── the peer's close frame, or an error ───────────────────────►│
//	  └── the peer's close frame ──► OnPeerClose ──Close──► answered ►│
//
// All methods are safe for concurrent use. One goroutine at a time reads; messages are written in the order of the
// calls. Every Conn must be closed, or read until an error, which ends the connection.
type Conn struct {
	send  sender
	recv  receiver
	rooms atomic.Pointer[membership] // nil before it joins a Room
	value atomic.Pointer[any]        // of the application
}

// Subprotocol returns the negotiated subprotocol, or "" if there is none.
func (c *Conn) Subprotocol() string { return c.send.cfg.subprotocol }

// Compressed reports whether permessage-deflate was negotiated.
func (c *Conn) Compressed() bool { return c.send.compress != nil }

// EnableWriteCompression says whether messages written from now on are compressed, if compression was negotiated and
// they are long enough. Turn it off for messages that do not get smaller, such as pictures, or for secrets that must not
// be compressed together with data chosen by an attacker. Default: on.
func (c *Conn) EnableWriteCompression(on bool) { c.send.compressOff.Store(!on) }

// LocalAddr returns the local network address.
func (c *Conn) LocalAddr() net.Addr { return c.send.link.LocalAddr() }

// RemoteAddr returns the peer's network address.
func (c *Conn) RemoteAddr() net.Addr { return c.send.link.RemoteAddr() }

// NetConn returns the underlying connection. Do not read from it, write to it or close it. See Stream for a net.Conn
// that is made of messages.
func (c *Conn) NetConn() net.Conn { return c.send.link.NetConn() }

// SetValue stores a value of the application's for the connection. Value returns it.
func (c *Conn) SetValue(v any) { c.value.Store(&v) }

// Value returns the value stored last by SetValue, or nil.
func (c *Conn) Value() any {
	if v := c.value.Load(); v != nil {
		return *v
	}
	return nil
}

// SetDeadline sets the read deadline and the write deadline.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline sets the deadline of reads, including one that is already blocked; the zero time means none. A read
// after the deadline fails with os.ErrDeadlineExceeded, even if a message has arrived, and loses nothing: the next read
// continues where it stopped.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.send.link.SetReadDeadline(t) }

// SetWriteDeadline bounds every wait for the peer to take output; the zero time means none. If it passes while something
// is being sent, the connection ends. If it passes otherwise, writes fail with os.ErrDeadlineExceeded until a later
// deadline is set, and pings are not answered meanwhile. It does not bound the wait for another message to be finished
// that is being written with NextWriter: WriteMessageContext and NextWriterContext do.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.send.link.SetWriteDeadline(t) }

// SetReadLimit changes the limit of Config.ReadLimit: 0 means the default, a negative limit none. It applies from the
// next frame on; a compressed message must also fit the limit at its end. A server can use it to raise the limit once the
// user is known.
func (c *Conn) SetReadLimit(n int64) {
	defaults.SetLimit(&n, defaultReadLimit)
	c.recv.in.SetLimit(n)
}

// Err returns why the connection is over, or nil while it is not.
func (c *Conn) Err() error { return c.send.overErr() }

// Done returns a channel that is closed when the connection is over.
func (c *Conn) Done() <-chan struct{} { return c.send.wait() }
