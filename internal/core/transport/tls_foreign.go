package transport

import (
	"context"
	"crypto/tls"
)

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
