package websocket

import (
	"context"
	"os"
	"time"
)

// Close sends a close frame with code and reason and waits for the peer's close frame, for at most Config.CloseTimeout.
// Messages that arrive meanwhile are dropped (RFC 6455 §7.1.2). Messages that Send and its variants have accepted are
// sent before the close frame, within the same time: Err tells whether all of them left, and Dropped how many were still
// in the backlog. A reason longer than 123 bytes is cut. CloseNoStatus sends a frame without a code.
//
// Close returns ErrClosed if the connection was closed before, an error if code may not be sent, and
// os.ErrDeadlineExceeded if the peer did not take everything or did not answer in time. When it returns that or nil, the
// connection is over, and Err is os.ErrDeadlineExceeded if something was not sent in time, a *CloseError if the peer's close
// frame came before the backlog had left, which was then dropped, and ErrClosed otherwise.
//
// With Config.OnMessage, Close does not wait and may be called from a callback. OnClose is called at the end.
func (c *Conn) Close(code CloseCode, reason string) error {
	frame, err := c.send.closeFrame(code, reason)
	if err != nil {
		return err
	}
	err = c.recv.close(frame, closedBoth)
	if err == ErrClosed || c.recv.isServed() {
		return err
	}
	c.recv.readToTheEnd() // also if the frame could not be sent: nothing else may come to end the connection
	if err == nil && c.send.expired.Load() {
		return os.ErrDeadlineExceeded
	}
	return err
}

// CloseWrite closes only the sending direction, like CloseWrite of a net.TCPConn. It sends a close frame and does not
// wait; messages of the peer are still read, up to its close frame or an error. Reads then end with ErrClosed. The
// peer has Config.CloseTimeout for this, from the call. Many peers, such as browsers, send nothing after they have
// received a close frame, but may have sent something before.
//
// CloseWrite returns ErrClosed if the connection was closed before, and an error if code may not be sent.
func (c *Conn) CloseWrite(code CloseCode, reason string) error {
	frame, err := c.send.closeFrame(code, reason)
	if err != nil {
		return err
	}
	return c.recv.close(frame, closedWrite)
}

// CloseNow ends the connection at once, without a close frame, like Close of a net.Conn. It first sends as much of the
// pending output as the network takes without waiting. If that is everything, the peer sees the end of the stream;
// otherwise, the peer sees a connection reset, and Dropped counts the messages that waited in the backlog. Some
// connections cannot tell how much they take without blocking: those that are not sockets of the system, and those with
// another TLS implementation. For them CloseNow allows a quarter of a second.
//
// It returns ErrClosed if the connection was over already.
func (c *Conn) CloseNow() error { return c.recv.cutNow() }

// CloseRead is for programs that only write. It starts a goroutine that reads, so that pings and close frames are
// answered, and returns a context derived from ctx that is done when the connection is over; context.Cause then returns
// Err. A message of the peer ends the connection with ClosePolicyViolation. When ctx is done, the connection is closed
// with CloseGoingAway.
//
// The goroutine ends with the connection. Nothing else may read after this call, and read deadlines have no effect. With
// Config.OnMessage, messages still go to OnMessage.
func (c *Conn) CloseRead(ctx context.Context) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	if !c.recv.isServed() {
		go c.refuseMessages()
	}
	go func() {
		select {
		case <-c.Done():
		case <-ctx.Done():
			c.Close(CloseGoingAway, "")
			<-c.Done()
		}
		end(c.Err())
	}()
	return ctx
}

// refuseMessages reads until the connection is over, and closes it when a message begins. If it was closed before, the
// message is dropped. A read deadline that passes is removed.
func (c *Conn) refuseMessages() {
	for !c.send.finished.Load() {
		if _, _, err := c.NextReader(); err == nil {
			c.Close(ClosePolicyViolation, "unexpected message")
		}
		c.SetReadDeadline(time.Time{})
	}
}
