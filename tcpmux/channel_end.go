package tcpmux

import (
	"fmt"

	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// CloseSend ends this side's half of the channel: the peer receives all messages, also those of Send calls that still wait,
// and then io.EOF.
func (c *Channel) CloseSend() error { return c.endHalf(muxsession.SendClosed) }

// Close is CloseSend that also stops receiving: messages that arrive are dropped, and the peer's Send fails with
// ErrPeerClosed. The name can be used again once the peer has received this.
func (c *Channel) Close() error { return c.endHalf(muxsession.Stopped) }

func (c *Channel) endHalf(how muxsession.Ending) error {
	s := c.s
	s.mu.Lock()
	defer s.unlock()
	if how == muxsession.Stopped && !c.closed {
		c.closed = true
		s.wakeAll(&c.readers)
		s.core.Discard(&c.core)
	}
	if s.end == nil {
		s.core.End(&c.core, how)
	}
	return nil
}

// Reset ends the channel on both sides at once: waiting Send calls fail, and messages that this side has not yet returned
// from Receive are dropped. The peer's Receive returns the messages that have arrived whole, and then a *ResetError with
// code. Codes from 1<<31 on are reserved for this package.
func (c *Channel) Reset(code uint32) error {
	if code >= 1<<31 {
		return fmt.Errorf("tcpmux: reset code %d is reserved", code)
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
// ended. Receive may still return messages afterwards.
func (c *Channel) Done() <-chan struct{} {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.ended {
			close(c.done)
		}
	}
	return c.done
}

// afterDone calls f on a goroutine of its own when the channel is over.
func (c *Channel) afterDone(f func()) {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.ended {
		go f()
		return
	}
	c.onDone = f
}
