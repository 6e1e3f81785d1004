package websocket

import "context"

// CloseRead is for programs that only write. It starts a goroutine that reads, so that pings and close frames are
// answered, and returns a context derived from ctx that is done when the connection is over; context.Cause then returns
// Err. A message of the peer ends the connection with ClosePolicyViolation. When ctx is done, the connection is closed
// with CloseGoingAway.
//
// The goroutine ends with the connection. Nothing else may read after this call, and read deadlines have no effect. With
// Config.OnMessage, messages still go to OnMessage.
func (c *Conn) CloseRead(ctx context.Context) context.Context {
	ctx, end := context.WithCancelCause(ctx)
	if c.onMessage == nil {
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
	for !c.finished.Load() {
		if _, _, err := c.NextReader(); err == nil {
			c.Close(ClosePolicyViolation, "unexpected message")
		}
		c.SetReadDeadline(noDeadline)
	}
}
