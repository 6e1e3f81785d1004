package behaviour

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// oneConn is a listener with one connection; then it waits until it is closed.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
	closes atomic.Int32
}

func newOneConn(c net.Conn) *oneConn {
	l := &oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	if c != nil {
		l.conn <- c
	}
	return l
}

// Accept implements net.Listener.
func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener and counts.
func (l *oneConn) Close() error {
	l.closes.Add(1)
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// scripted is a listener that fails in the given ways, then with io.EOF. As a slice it cannot be compared.
type scripted []error

// Accept implements net.Listener.
func (l scripted) Accept() (net.Conn, error) {
	for i, err := range l {
		if err != nil {
			l[i] = nil
			return nil, err
		}
	}
	return nil, io.EOF
}

// Close implements net.Listener.
func (l scripted) Close() error { return nil }

// Addr implements net.Listener.
func (l scripted) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }
