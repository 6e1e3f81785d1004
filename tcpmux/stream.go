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

	mu      sync.Mutex // held by Read
	unread  []byte     // the part of message that Read has not returned yet
	message []byte     // the current message
}

// Conn returns the channel as a stream of bytes: Write sends messages, Read returns their bytes one after the other without
// regard to message boundaries. CloseWrite is CloseSend.
func (c *Channel) Conn() net.Conn { return &stream{c: c} }

// maxWriteMessage is the size of the messages into which Write splits its data, so that each can be sent as soon as the
// window allows.
const maxWriteMessage = 32 << 10

// Read implements net.Conn.
func (t *stream) Read(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.readError(); err != nil {
		return 0, err
	}
	for len(t.unread) == 0 {
		if len(p) == 0 {
			return 0, nil
		}
		if t.message != nil {
			Recycle(t.message)
			t.message = nil
		}
		m, err := t.c.Receive(context.Background())
		if err != nil {
			return 0, t.opError("read", err)
		}
		t.message, t.unread = m, m
	}
	n := copy(p, t.unread)
	t.unread = t.unread[n:]
	return n, nil
}

// readError returns the error of a Read on a closed channel or after the read deadline, or nil.
func (t *stream) readError() error {
	s := t.c.s
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case t.c.closed:
		return t.opError("read", ErrClosed)
	case t.c.readDeadline.exceeded():
		return t.opError("read", os.ErrDeadlineExceeded)
	}
	return nil
}

// Write implements net.Conn.
func (t *stream) Write(p []byte) (n int, err error) {
	for n < len(p) {
		k := min(len(p)-n, maxWriteMessage)
		if err := t.c.Send(context.Background(), p[n:n+k]); err != nil {
			return n, t.opError("write", err)
		}
		n += k
	}
	return n, nil
}

// opError wraps err as package net does.
func (t *stream) opError(op string, err error) error {
	if err == io.EOF || errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	return &net.OpError{Op: op, Net: "tcpmux", Source: t.LocalAddr(), Addr: t.RemoteAddr(), Err: err}
}

// Close implements net.Conn.
func (t *stream) Close() error { return t.c.Close() }

// CloseWrite ends this side's half, like the method of net.TCPConn.
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

// streamAddr is the address of a channel: the id of its session and its name.
type streamAddr struct{ c *Channel }

// Network implements net.Addr.
func (a streamAddr) Network() string { return "tcpmux" }

// String implements net.Addr.
func (a streamAddr) String() string { return a.c.s.ID() + "/" + a.c.Name() }

// DialContext opens a channel with an unused name and returns it as a net.Conn; network and addr are ignored. It has the
// signature that http.Transport and others need.
func (s *Session) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := s.Open("")
	if err != nil {
		return nil, err
	}
	return c.Conn(), nil
}

// Listener returns a net.Listener whose Accept returns the channels that the peer opens, as net.Conns. Closing it closes
// nothing else; channels that arrive afterwards wait for Session.Accept.
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
	if l.ctx.Err() != nil {
		return nil, ErrClosed
	}
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

// Addr implements net.Listener. It returns the local address of the session's connection.
func (l *streamListener) Addr() net.Addr { return l.s.LocalAddr() }
