package tcpmux

import "context"

// Sent returns how many messages have been sent: Send has returned nil for them, or is about to.
func (c *Channel) Sent() uint64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Sent()
}

// Acked returns how many of the sent messages the peer's session has received. These cannot be lost by a broken connection.
func (c *Channel) Acked() uint64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Acked()
}

// WaitAcked waits until more than n messages are acknowledged, and returns how many are. The error is ctx's, or says why no
// more messages will be acknowledged.
func (c *Channel) WaitAcked(ctx context.Context, n uint64) (uint64, error) {
	s, k := c.s, &c.core
	s.mu.Lock()
	defer s.unlock()
	for {
		acked := k.Acked()
		switch {
		case acked > n:
			return acked, nil
		case s.end != nil:
			return acked, s.end
		case k.WasReset() != nil:
			return acked, resetError(k.WasReset())
		case k.Over() && acked+k.Voided() == k.Sent():
			return acked, ErrClosed
		}
		if err := s.awaitLocked(ctx, &c.ackWaiters, nil); err != nil {
			return acked, err
		}
	}
}

// Flush waits until all messages sent so far are acknowledged or, with Options.AtMostOnce, dropped.
func (c *Channel) Flush(ctx context.Context) error {
	s, k := c.s, &c.core
	s.mu.Lock()
	defer s.unlock()
	for want := k.Written(); k.Settled() < want; {
		if s.end != nil {
			return s.end
		}
		if r := k.WasReset(); r != nil {
			return resetError(r)
		}
		if err := s.awaitLocked(ctx, &c.ackWaiters, nil); err != nil {
			return err
		}
	}
	return nil
}
