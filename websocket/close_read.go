package websocket

import "context"

// CloseRead is for who only writes: it reads by itself from now on, so that pings and close frames are answered, and
// returns a context of ctx that ends with the connection, whose context.Cause is Err then. A message of the peer ends the
// connection with ClosePolicyViolation. When ctx ends the connection is closed with CloseGoingAway.
//
// It takes a goroutine until the connection is over. Nobody else may read afterwards, and read deadlines have no effect. With Config.OnMessage messages go
// there as ever.
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

// refuseMessages reads until the connection is over, and closes it when a message begins. A read deadline that passes is
// removed.
func (c *Conn) refuseMessages() {
	for !c.finished.Load() {
		if _, _, err := c.NextReader(); err == nil {
			c.Close(ClosePolicyViolation, "unexpected message")
			return
		}
		c.SetReadDeadline(noDeadline)
	}
}
