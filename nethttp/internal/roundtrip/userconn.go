package roundtrip

import (
	"crypto/tls"
	"net"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// userConn is a connection that a function of the user has opened. Only its Read, Write and Close can be relied on:
// http.Transport uses nothing else. It implements httpclient.UserConn.
type userConn struct {
	net.Conn
	closed       atomic.Bool
	sent         atomic.Bool // a byte was written since Mark
	failedUnsent atomic.Bool // a Write has failed without sending anything; it was the last one
}

var _ httpclient.UserConn = (*userConn)(nil)

// wrapUserConn returns nc, in a userConn if it is not of a type that can be relied on.
func wrapUserConn(nc net.Conn) net.Conn {
	switch nc.(type) {
	case *net.TCPConn, *net.UnixConn, *tls.Conn, nil:
		return nc
	}
	return &userConn{Conn: nc}
}

// unwrapUserConn returns the connection that the user's function has opened.
func unwrapUserConn(nc net.Conn) net.Conn {
	if g, ok := nc.(*userConn); ok {
		return g.Conn
	}
	return nc
}

// Write implements net.Conn.
func (g *userConn) Write(p []byte) (int, error) {
	n, err := g.Conn.Write(p)
	if n > 0 {
		g.sent.Store(true)
	} else if err != nil {
		g.failedUnsent.Store(true)
	}
	return n, err
}

// Mark implements httpclient.UserConn.
func (g *userConn) Mark() { g.sent.Store(false) }

// FailedUnsent implements httpclient.UserConn.
func (g *userConn) FailedUnsent() bool { return g.failedUnsent.Load() && !g.sent.Load() }

// Close implements net.Conn.
func (g *userConn) Close() error {
	if g.closed.Swap(true) {
		return net.ErrClosed
	}
	return g.Conn.Close()
}

// Abandon implements httpclient.UserConn.
func (g *userConn) Abandon() { go g.Close() }

// SetDeadline implements net.Conn.
func (g *userConn) SetDeadline(t time.Time) error {
	return recovering(func() error { return g.Conn.SetDeadline(t) })
}

// SetReadDeadline implements net.Conn.
func (g *userConn) SetReadDeadline(t time.Time) error {
	return recovering(func() error { return g.Conn.SetReadDeadline(t) })
}

// SetWriteDeadline implements net.Conn.
func (g *userConn) SetWriteDeadline(t time.Time) error {
	return recovering(func() error { return g.Conn.SetWriteDeadline(t) })
}

// LocalAddr implements net.Conn.
func (g *userConn) LocalAddr() (a net.Addr) {
	_ = recovering(func() error { a = g.Conn.LocalAddr(); return nil })
	return a
}

// RemoteAddr implements net.Conn.
func (g *userConn) RemoteAddr() (a net.Addr) {
	_ = recovering(func() error { a = g.Conn.RemoteAddr(); return nil })
	return a
}

// recovering calls f, a method that may panic: a struct type that embeds a nil net.Conn is a net.Conn, too. It
// returns net.ErrClosed after a panic.
func recovering(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = net.ErrClosed
		}
	}()
	return f()
}
