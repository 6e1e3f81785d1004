package netconn

import "github.com/shockwave-go/shockwave/internal/core/clock"

// beginWait notes when a wait between runs of Data began, and whether it is for the rest of a message or for the next
// one.
func (c runner) beginWait() {
	now := c.eng.clock.Now()
	if !c.in.Empty() {
		if c.msg.begun == 0 {
			c.msg.begun = now
		}
		return
	}
	c.msg.begun = 0
	if c.msg.turn.waitBegins() {
		c.idleSince = now
	}
	if c.reported.is(StateActive) && !c.work.goesOn() { // a connection that has not sent anything stays StateNew
		c.setState(StateIdle)
	}
}

// armWait arms the clock for the wait that begins.
func (c runner) armWait() {
	cfg := c.cfg
	switch {
	case !c.in.Empty():
		c.waitUntil(&c.readBy, clock.After(c.msg.begun, cfg.MessageTimeout))
	case c.work.goesOn():
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
func (c runner) woken() (look bool, err error) {
	if c.aborted() {
		return false, ErrAbort
	}
	if err := c.out.Err(); err != nil {
		return true, err
	}
	if c.work.nudged.Load() {
		if err := c.runData(); err != nil {
			return false, err
		}
		c.beginWait()
	}
	now := c.eng.clock.Now()
	switch {
	case !c.in.Empty():
		if clock.Passed(clock.After(c.msg.begun, c.cfg.MessageTimeout), now) {
			return false, c.slow()
		}
	case c.work.goesOn():
	case c.endsWhenIdle():
		return true, ErrShutdown
	case clock.Passed(clock.After(c.idleSince, c.cfg.IdleTimeout), now):
		return false, ErrIdle
	}
	return false, nil
}

// idleExpired reports whether IdleTimeout has passed while a Data ran whose input was not part of a message. The loop of a
// peer that sends such input all the time might never wait long enough to notice.
func (c runner) idleExpired() bool {
	return c.in.Empty() && !c.work.goesOn() &&
		clock.Passed(clock.After(c.idleSince, c.cfg.IdleTimeout), c.eng.clock.Now())
}

// endsWhenIdle reports whether the connection is to end as soon as it is idle.
func (c runner) endsWhenIdle() bool {
	if !c.Draining() || c.work.goesOn() {
		return false
	}
	if until := c.firstMessageDeadline(); until != 0 && !clock.Passed(until, c.eng.clock.Now()) {
		return false
	}
	_, ok := c.proto.(Drainer)
	return !ok
}

// firstMessageDeadline returns when Shutdown ends a connection that has not sent anything yet: its first message may be
// on the way. It returns 0 for all other connections, and without FirstGrace.
func (c *Conn) firstMessageDeadline() clock.Moment {
	if c.frequency != neverUsed {
		return 0
	}
	until := clock.After(c.idleSince, c.cfg.FirstGrace)
	if until != 0 {
		until += int64(clock.Tick) // idleSince may be too early by a tick
	}
	return until
}
