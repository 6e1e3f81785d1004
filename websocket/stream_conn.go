package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// NetConn returns c as a stream of bytes: a net.Conn that is read across the bounds of messages, and of which each Write
// is a message of type t. It is for protocols that know nothing of messages; both ends use it, or a peer that does the
// same, such as coder/websocket's NetConn. The connection below is what the method NetConn returns.
//
// Read returns io.EOF when the peer has closed with CloseNormal or CloseGoingAway; a message of the other type ends the
// connection with CloseUnsupportedData. Without compression messages may have any length, as they are handed out while
// they arrive; compressed ones are bound by the read limit. Deadlines are c's: reads go on after one, writes unless it
// passed while something was on its way. Close closes with CloseNormal, and may wait for CloseTimeout. When ctx ends the
// connection is broken off.
//
// Nobody else may read from c, and it must not have Config.OnMessage.
func NetConn(ctx context.Context, c *Conn, t MessageType) net.Conn {
	if !c.Compressed() {
		c.SetReadLimit(-1)
	}
	return &streamConn{c: c, t: t, stop: context.AfterFunc(ctx, func() { c.CloseNow() })}
}

// streamConn is a Conn as a stream of bytes.
type streamConn struct {
	c      *Conn
	t      MessageType
	stop   func() bool // ends the watch of the context
	closed atomic.Bool

	reading sync.Mutex
	message io.Reader // in hand
	err     error     // what every read says from now on
}

// Read implements net.Conn.
func (s *streamConn) Read(p []byte) (int, error) {
	s.reading.Lock()
	defer s.reading.Unlock()
	for s.err == nil && len(p) > 0 {
		err := s.next()
		if err == nil {
			var n int
			if n, err = s.message.Read(p); n > 0 {
				return n, nil
			}
		}
		switch {
		case err == io.EOF:
			s.message = nil
		case errors.Is(err, os.ErrDeadlineExceeded) && s.c.Err() == nil:
			return 0, err
		case IsCloseError(err, CloseNormal, CloseGoingAway):
			s.err = io.EOF
		default:
			s.err = err
		}
	}
	return 0, s.err
}

// next sees to it that a message is in hand.
func (s *streamConn) next() error {
	if s.message != nil {
		return nil
	}
	t, message, err := s.c.NextReader()
	if err == nil && t != s.t {
		err = fmt.Errorf("websocket: a %v message in a stream of %v ones", t, s.t)
		s.c.Close(CloseUnsupportedData, "unexpected type of message")
	}
	s.message = message
	return err
}

// Write implements net.Conn. It may be called concurrently.
func (s *streamConn) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := s.c.WriteMessage(s.t, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close implements net.Conn.
func (s *streamConn) Close() error {
	if s.closed.Swap(true) {
		return net.ErrClosed
	}
	s.stop()
	if err := s.c.Close(CloseNormal, ""); err != net.ErrClosed { // the peer may have been first
		return err
	}
	return nil
}

func (s *streamConn) LocalAddr() net.Addr                { return s.c.LocalAddr() }
func (s *streamConn) RemoteAddr() net.Addr               { return s.c.RemoteAddr() }
func (s *streamConn) SetDeadline(t time.Time) error      { return s.c.SetDeadline(t) }
func (s *streamConn) SetReadDeadline(t time.Time) error  { return s.c.SetReadDeadline(t) }
func (s *streamConn) SetWriteDeadline(t time.Time) error { return s.c.SetWriteDeadline(t) }
