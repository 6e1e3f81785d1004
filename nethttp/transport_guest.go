package nethttp

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"
)

// guest is a connection that a function of the user's has opened, of which only Read, Write and Close are sure to do
// something: http.Transport uses nothing else. It implements httpclient.Guest.
type guest struct {
	net.Conn
	closed  atomic.Bool
	sent    atomic.Bool // a byte, since Mark
	refused atomic.Bool // a Write has failed that has sent nothing; it is the last
}

// host returns nc such that it can be relied on.
func host(nc net.Conn) net.Conn {
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn, *tls.Conn, nil:
		return nc
	}
	return &guest{Conn: nc}
}

// unguest returns what the user's function has opened.
func unguest(nc net.Conn) net.Conn {
	if g, ok := nc.(*guest); ok {
		return g.Conn
	}
	return nc
}

// Write implements net.Conn.
func (g *guest) Write(p []byte) (int, error) {
	n, err := g.Conn.Write(p)
	if n > 0 {
		g.sent.Store(true)
	} else if err != nil {
		g.refused.Store(true)
	}
	return n, err
}

// Mark implements httpclient.Guest.
func (g *guest) Mark() { g.sent.Store(false) }

// Refused implements httpclient.Guest.
func (g *guest) Refused() bool { return g.refused.Load() && !g.sent.Load() }

// Close implements net.Conn.
func (g *guest) Close() error {
	if g.closed.Swap(true) {
		return net.ErrClosed
	}
	return g.Conn.Close()
}

// Abandon implements httpclient.Guest.
func (g *guest) Abandon() { go g.Close() }

// SetDeadline implements net.Conn.
func (g *guest) SetDeadline(t time.Time) error {
	return bearing(func() error { return g.Conn.SetDeadline(t) })
}

// SetReadDeadline implements net.Conn.
func (g *guest) SetReadDeadline(t time.Time) error {
	return bearing(func() error { return g.Conn.SetReadDeadline(t) })
}

// SetWriteDeadline implements net.Conn.
func (g *guest) SetWriteDeadline(t time.Time) error {
	return bearing(func() error { return g.Conn.SetWriteDeadline(t) })
}

// LocalAddr implements net.Conn.
func (g *guest) LocalAddr() (a net.Addr) {
	_ = bearing(func() error { a = g.Conn.LocalAddr(); return nil })
	return a
}

// RemoteAddr implements net.Conn.
func (g *guest) RemoteAddr() (a net.Addr) {
	_ = bearing(func() error { a = g.Conn.RemoteAddr(); return nil })
	return a
}

// bearing calls a method that may not be there: a type with a nil net.Conn in it is a net.Conn.
func bearing(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = net.ErrClosed
		}
	}()
	return f()
}
