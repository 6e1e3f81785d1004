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

// Stream returns c as a net.Conn for protocols without messages: reads continue across messages, and each Write is a
// message of type t. The peer uses Stream too, or something alike, such as coder/websocket's NetConn. For the connection
// below c see Conn.NetConn.
//
// Read returns io.EOF when the peer has closed with CloseNormal or CloseGoingAway, and ErrClosed if this side has closed
// before, also with c.CloseWrite. A message of the other type ends the connection with CloseUnsupportedData. Without
// compression messages may have any length, as they are handed out while they arrive; compressed messages are bounded by
// the read limit. Deadlines are those of c: reads can continue after one, and writes too, unless it passed while something
// was being sent. Close closes with CloseNormal, and may wait for CloseTimeout. When ctx is done the connection is cut off.
//
// Nothing else may read from c, and c must not have Config.OnMessage.
func Stream(ctx context.Context, c *Conn, t MessageType) net.Conn {
	if !c.Compressed() {
		c.SetReadLimit(-1)
	}
	return &streamConn{c: c, t: t, stop: context.AfterFunc(ctx, func() { c.CloseNow() })}
}

// streamConn implements net.Conn on a Conn.
type streamConn struct {
	c      *Conn
	t      MessageType
	stop   func() bool // stops watching the context
	closed atomic.Bool

	reading sync.Mutex
	message io.Reader // reads the current message
	err     error     // sticky: every later read fails with it
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

// next makes sure that there is a current message.
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

// Write implements net.Conn. It is safe for concurrent use.
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
		return ErrClosed
	}
	s.stop()
	if err := s.c.Close(CloseNormal, ""); err != ErrClosed { // not an error: the peer may have closed first
		return err
	}
	return nil
}

func (s *streamConn) LocalAddr() net.Addr                { return s.c.LocalAddr() }
func (s *streamConn) RemoteAddr() net.Addr               { return s.c.RemoteAddr() }
func (s *streamConn) SetDeadline(t time.Time) error      { return s.c.SetDeadline(t) }
func (s *streamConn) SetReadDeadline(t time.Time) error  { return s.c.SetReadDeadline(t) }
func (s *streamConn) SetWriteDeadline(t time.Time) error { return s.c.SetWriteDeadline(t) }
