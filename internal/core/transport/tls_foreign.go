package transport

import (
	"context"
	"crypto/tls"
	"net"
)

// foreignTLS is a TLS connection that was created elsewhere: a *tls.Conn, as the listener of tls.NewListener accepts
// it, or a type that embeds one. The connection below it cannot be used without the bytes that it has read ahead, so it
// is used as it is.
type foreignTLS interface {
	net.Conn
	HandshakeContext(ctx context.Context) error
	ConnectionState() tls.ConnectionState
	NetConn() net.Conn
}

// NeedsHandshake reports whether Handshake must be called first. It returns true for every foreign TLS connection:
// asking whether its handshake is complete could block while another goroutine does the handshake.
func (c *Conn) NeedsHandshake() bool { return c.tls != nil && !c.tls.ready || c.kind == brittle }

// Handshake does the TLS handshake. A wake interrupts it.
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

// State returns the TLS connection state, nil without TLS. The caller owns it.
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

// Cleartext returns the connection below TLS, also below foreign TLS.
func (c *Conn) Cleartext() net.Conn {
	if t, ok := c.nc.(foreignTLS); ok {
		return t.NetConn()
	}
	return c.nc
}
