package tcpmux

import (
	"fmt"

	"github.com/shockwave-go/shockwave/internal/muxsession"
)

// CloseSend ends this side's half: the peer receives what was sent, and then io.EOF. Sends that wait are sent before.
func (c *Channel) CloseSend() error { return c.endHalf(muxsession.Ends) }

// Close is CloseSend that also says that nothing more is taken: what comes is dropped, and the peer's Send fails with
// ErrPeerClosed. The name is free again when the peer has heard it.
func (c *Channel) Close() error { return c.endHalf(muxsession.Stopped) }

func (c *Channel) endHalf(how muxsession.Ending) error {
	s := c.s
	s.mu.Lock()
	defer s.unlock()
	if how == muxsession.Stopped && !c.closed {
		c.closed = true
		s.tellAll(&c.readers)
		s.core.Discard(&c.core)
	}
	if s.end == nil {
		s.core.End(&c.core, how)
	}
	return nil
}

// Reset ends the channel at once on both sides: Sends that wait fail, and what this side has not received is dropped. The
// peer receives what it has got whole, and then a *ResetError with code. Codes from 1<<31 on are this package's.
func (c *Channel) Reset(code uint32) error {
	if code >= 1<<31 {
		return fmt.Errorf("tcpmux: code %d is not the program's to use", code)
	}
	return c.reset(code)
}

func (c *Channel) reset(code uint32) error {
	s := c.s
	s.mu.Lock()
	defer s.unlock()
	if s.end != nil {
		return s.end
	}
	s.core.Reset(&c.core, code)
	return nil
}

// Done returns a channel that is closed when the channel is over: both halves have ended, it was reset, or the session has
// ended. There may still be messages to be received.
func (c *Channel) Done() <-chan struct{} {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.over == nil {
		c.over = make(chan struct{})
		if c.ended {
			close(c.over)
		}
	}
	return c.over
}

// onOver has f called, on a goroutine of its own, when the channel is over.
func (c *Channel) onOver(f func()) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.ended {
		go f()
		return
	}
	c.left = f
}
