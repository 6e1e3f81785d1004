package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// plainLoop is the serve loop for a net.Conn of any kind.
type plainLoop struct{ *Conn }

func (c plainLoop) serve() error {
	for look := false; ; {
		space, err := c.roomToRead()
		if err != nil {
			return err
		}
		c.armWait()
		last := look || c.r == c.w && c.endsWhenIdle()
		if look = false; last {
			c.tr.ReaderWoken()
			// Input that has arrived already is still answered when the engine ends.
			c.waitUntil(&c.readBy, c.eng.clock.Now()+int64(clock.Tick))
		}
		n, err := c.read(space)
		c.readBy.Store(0)
		switch {
		case n > 0:
			c.arrived(n, len(space))
			if err = c.runData(); err == nil {
				c.beginWait()
				if c.stack.tooSmall() {
					err = errDeepStack
				}
			}
		case transport.TimedOut(err) && c.tr.ReaderWoken():
			if look, err = c.woken(); look && !last {
				err = nil
			}
		default:
			err = c.endOfInput(err)
		}
		if err != nil {
			return err
		}
	}
}

// beginWait notes when a wait between runs of Data began, and whether it is for the rest of a message or for the next
// one.
func (c *Conn) beginWait() {
	now := c.eng.clock.Now()
	if c.r < c.w {
		if c.begun == 0 {
			c.begun = now
		}
		return
	}
	c.begun = 0
	if c.used {
		c.idleSince, c.used = now, false
	}
	if State(c.state) == StateActive && c.work.Load() == 0 { // a connection that has not sent anything stays StateNew
		c.setState(StateIdle)
	}
}

// armWait arms the clock for the wait that begins.
func (c *Conn) armWait() {
	cfg := &c.eng.cfg
	switch {
	case c.r < c.w:
		c.waitUntil(&c.readBy, clock.After(c.begun, cfg.MessageTimeout))
	case c.work.Load() > 0:
		c.waitUntil(&c.readBy, 0)
	default:
		at := clock.After(c.idleSince, cfg.IdleTimeout)
		if c.tr.Socket() {
			at = clock.Earlier(at, c.frequency.nextPark(c.eng.clock.Now(), c.idleSince, int64(cfg.IdlePark)))
		}
		if c.frequency == neverUsed && c.Draining() {
			at = clock.Earlier(at, c.firstMessageDeadline())
		}
		c.waitUntil(&c.readBy, at)
	}
}

// woken decides what happens after a wake has interrupted a wait between runs of Data; a nil error means to go on
// waiting. look asks for one more receive before the connection ends with err: input that has arrived already may be a
// last message or, if writing has failed, the peer's reason for that.
func (c *Conn) woken() (look bool, err error) {
	if c.aborted() {
		return false, ErrAbort
	}
	if err := c.out.Err(); err != nil {
		return true, err
	}
	if c.nudged.Load() {
		if err := c.runData(); err != nil {
			return false, err
		}
		c.beginWait()
	}
	now := c.eng.clock.Now()
	switch {
	case c.r < c.w:
		if clock.Passed(clock.After(c.begun, c.eng.cfg.MessageTimeout), now) {
			return false, c.slow()
		}
	case c.work.Load() > 0:
	case c.endsWhenIdle():
		return true, ErrShutdown
	case clock.Passed(clock.After(c.idleSince, c.eng.cfg.IdleTimeout), now):
		return false, ErrIdle
	}
	return false, nil
}
