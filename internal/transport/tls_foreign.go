package transport

import (
	"context"
	"crypto/tls"
	"net"
)

// foreignTLS is TLS that somebody else has put on a connection: a *tls.Conn, as a listener of tls.NewListener accepts
// it, or a type that embeds one. What is below it cannot be had without what it has read ahead, so it is used as it is.
type foreignTLS interface {
	net.Conn
	HandshakeContext(ctx context.Context) error
	ConnectionState() tls.ConnectionState
	NetConn() net.Conn
}

// MustShake reports whether Handshake is to be called first. Somebody else's TLS may have shaken hands already; to ask it
// would wait for one who is just doing so.
func (c *Conn) NeedsHandshake() bool { return c.tls != nil && !c.tls.ready || c.kind == brittle }

// Handshake is that of TLS. A wake ends it.
func (c *Conn) Handshake() error {
	if c.kind == brittle {
		c.startWriting()
		defer c.wrote()
	}
	if c.tls == nil {
		return c.nc.(foreignTLS).HandshakeContext(context.Background())
	}
	err := c.tls.conn.Handshake()
	c.tls.ready = err == nil
	return err
}

// State returns the state of TLS, nil without TLS. It is the caller's.
func (c *Conn) State() *tls.ConnectionState {
	if c.tls != nil {
		s := c.tls.conn.ConnectionState()
		return &s
	}
	if t, ok := c.nc.(foreignTLS); ok {
		s := t.ConnectionState()
		return &s
	}
	return nil
}

// Cleartext returns the connection below TLS, also below somebody else's.
func (c *Conn) Cleartext() net.Conn {
	if t, ok := c.nc.(foreignTLS); ok {
		return t.NetConn()
	}
	return c.nc
}
