package websocket

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// SendFunc is Send that reports the outcome: done is called once, on a goroutine of its own. Its err is nil when the
// message has been handed to the network, which does not mean that the peer has it. Otherwise err is ErrDropped if the
// message was dropped because of Config.Slow, or the reason why nothing can be sent any more. A caller that wants a
// bounded number of messages in flight sends the next one from done.
func (c *Conn) SendFunc(t MessageType, p []byte, done func(err error)) {
	frame, err := c.frameOf(t, p)
	if err != nil {
		go done(err)
		return
	}
	var refused error
	shared := bufpool.ShareFunc(frame, func(sent bool) {
		go func() { done(c.outcome(sent, refused)) }()
	})
	refused = c.post(outboxItem{shared: shared.Retain()}, true)
	shared.Release()
}

// outcome returns the error for done of a message that has left all queues.
func (c *Conn) outcome(sent bool, refused error) error {
	if sent {
		return nil
	}
	for _, err := range []error{refused, writeError(c.t.WriteError()), c.Err()} {
		if err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.outbox; o != nil && o.closedError() != nil { // the close frame has dropped it, and the end is still to come
		if c.err != nil {
			return c.err
		}
		return o.closedError()
	}
	return ErrDropped
}
