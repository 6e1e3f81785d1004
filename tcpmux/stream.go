package tcpmux

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// stream is a channel as a net.Conn.
type stream struct {
	c *Channel

	mu   sync.Mutex // who reads
	rest []byte     // of the message in hand
	all  []byte     // it
}

// Conn returns the channel as a stream of bytes: Write sends messages, Read reads them one behind the other. Its CloseWrite
// is CloseSend. The bounds of messages mean nothing then.
func (c *Channel) Conn() net.Conn { return &stream{c: c} }

// writeMost is the most bytes of a Write that are one message: what waits for a window waits in pieces.
const writeMost = 32 << 10

// Read implements net.Conn.
func (t *stream) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.readable(); err != nil {
		return 0, err
	}
	for len(t.rest) == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		if t.all != nil {
			Recycle(t.all)
			t.all = nil
		}
		m, err := t.c.Receive(context.Background())
		if err != nil {
			return 0, t.failed("read", err)
		}
		t.all, t.rest = m, m
	}
	n := copy(p, t.rest)
	t.rest = t.rest[n:]
	return n, nil
}

// readable tells why what is left of a message is not to be read.
func (t *stream) readable() error {
	s := t.c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case t.c.closed:
		return t.failed("read", ErrClosed)
	case t.c.read.over():
		return t.failed("read", os.ErrDeadlineExceeded)
	}
	return nil
}

// Write implements net.Conn.
func (t *stream) Write(p []byte) (n int, err error) {
	for n < len(p) {
		k := min(len(p)-n, writeMost)
		if err := t.c.Send(context.Background(), p[n:n+k]); err != nil {
			return n, t.failed("write", err)
		}
		n += k
	}
	return n, nil
}

// failed says what went wrong as package net does.
func (t *stream) failed(op string, err error) error {
	if err == io.EOF || errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return &net.OpError{Op: op, Net: "tcpmux", Source: t.LocalAddr(), Addr: t.RemoteAddr(), Err: err}
}

// Close implements net.Conn.
func (t *stream) Close() error { return t.c.Close() }

// CloseWrite ends this side's half, as that of net.TCPConn does.
func (t *stream) CloseWrite() error { return t.c.CloseSend() }

// LocalAddr implements net.Conn.
func (t *stream) LocalAddr() net.Addr { return streamAddr{t.c} }

// RemoteAddr implements net.Conn.
func (t *stream) RemoteAddr() net.Addr { return streamAddr{t.c} }

// SetDeadline implements net.Conn.
func (t *stream) SetDeadline(d time.Time) error { return t.c.SetDeadline(d) }

// SetReadDeadline implements net.Conn.
func (t *stream) SetReadDeadline(d time.Time) error { return t.c.SetReadDeadline(d) }

// SetWriteDeadline implements net.Conn.
func (t *stream) SetWriteDeadline(d time.Time) error { return t.c.SetWriteDeadline(d) }

// streamAddr is the address of a channel: that of its session, and its name.
type streamAddr struct{ c *Channel }

// Network implements net.Addr.
func (a streamAddr) Network() string { return "tcpmux" }

// String implements net.Addr.
func (a streamAddr) String() string { return a.c.s.ID() + "/" + a.c.Name() }

// DialContext opens a channel with a name of its own and returns it as a connection; network and addr are not looked at. It
// has the form that http.Transport and others want.
func (s *Session) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := s.Open("")
	if err != nil {
		return nil, err
	}
	return c.Conn(), nil
}

// Listener returns a listener whose Accept returns the peer's channels as connections. To close it closes nothing else;
// channels that come afterwards wait for Accept.
func (s *Session) Listener() net.Listener {
	l := &streamListener{s: s}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

type streamListener struct {
	s      *Session
	ctx    context.Context
	cancel context.CancelFunc
}

// Accept implements net.Listener.
func (l *streamListener) Accept() (net.Conn, error) {
	c, err := l.s.Accept(l.ctx)
	if err != nil {
		if l.ctx.Err() != nil {
			err = ErrClosed
		}
		return nil, err
	}
	return c.Conn(), nil
}

// Close implements net.Listener.
func (l *streamListener) Close() error {
	l.cancel()
	return nil
}

// Addr implements net.Listener: it is where the session's connection is.
func (l *streamListener) Addr() net.Addr { return l.s.LocalAddr() }
