package tcpmux

import "context"

// Sent returns how many messages Send has taken.
func (c *Channel) Sent() uint64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Sent()
}

// Acked returns how many of the messages that were sent the peer's session holds, or held: no broken connection can lose
// those any more.
func (c *Channel) Acked() uint64 {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return c.core.Acked()
}

// WaitAcked waits until more than n messages are acknowledged, and returns how many. The error is ctx's, or says that there
// will be none.
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
		if err := s.await(ctx, &c.flushers, nil); err != nil {
			return acked, err
		}
	}
}

// Flush waits until all messages that Send has taken are acknowledged, or, with AtMostOnce, dropped.
func (c *Channel) Flush(ctx context.Context) error {
	s, k := c.s, &c.core
	s.mu.Lock()
	defer s.unlock()
	for want := k.Sent(); k.Acked()+k.Voided() < want; {
		if s.end != nil {
			return s.end
		}
		if r := k.WasReset(); r != nil {
			return resetError(r)
		}
		if err := s.await(ctx, &c.flushers, nil); err != nil {
			return err
		}
	}
	return nil
}
