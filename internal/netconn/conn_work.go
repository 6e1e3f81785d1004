package netconn

import "github.com/shockwave-go/shockwave/internal/clock"

// Work is what goes on for a connection after Data has returned: streams that are being answered. While there is any the
// connection is not idle, is not parked, and Shutdown waits for it.

// BeginWork counts work that goes on after Data. Any goroutine may call it, while Data runs or other work does.
func (c *Conn) BeginWork() { c.work.Add(1) }

// EndWork ends what BeginWork began; after the last Data runs once more, with or without bytes. Any goroutine may call it.
func (c *Conn) EndWork() {
	if c.work.Add(-1) == 0 {
		c.Nudge()
	}
}

// Nudge has Data run once more even if no bytes come: after the run that is under way, or as soon as may be. Any goroutine
// may call it.
func (c *Conn) Nudge() {
	c.nudged.Store(true)
	c.wake()
}

// wake implements reader.
func (c *Conn) wake() {
	c.unpark() // the mark below makes the goroutine look around, not just receive
	c.tr.WakeReader()
	if w := c.extra.Load(); w != nil {
		w.signalWake()
	}
}

// broken implements reader: the loop may be waiting for input that will never come.
func (c *Conn) writeFailed() {
	c.wake()
	if b, ok := c.owner().(Breaker); ok {
		go b.Broke()
	}
}

// drain implements reader: a protocol that says goodbye itself does so now; others end when they are idle.
func (c *Conn) drain() {
	if d, ok := c.owner().(Drainer); ok {
		d.Drain()
		return
	}
	c.wake()
}

// drains reports whether the connection is to end as soon as it is idle.
func (c *Conn) endsWhenIdle() bool {
	if !c.Draining() || c.work.Load() > 0 {
		return false
	}
	if until := c.firstMessageDeadline(); until != 0 && !clock.Passed(until, c.eng.clock.Now()) {
		return false
	}
	_, ok := c.proto.(Drainer)
	return !ok
}

// firstBy returns when Shutdown ends a connection that has sent nothing yet: its first message may be on the way. 0 for
// every other, and without such a grace.
func (c *Conn) firstMessageDeadline() clock.Moment {
	if c.frequency != neverUsed {
		return 0
	}
	until := clock.After(c.idleSince, c.eng.cfg.FirstGrace)
	if until != 0 {
		until += int64(clock.Tick) // idleSince may lie so much too early
	}
	return until
}

// busy reports whether Data is to run although no bytes come.
func (c *Conn) busy() bool { return c.work.Load() > 0 || c.nudged.Load() }

// outlast runs Data when it is asked for, until no work is left.
func (c *Conn) awaitWork() error {
	told := c.ensureExtra().openWakeCh()
	for {
		if c.aborted() {
			return ErrAbort
		}
		if err := c.out.Err(); err != nil {
			return err
		}
		if c.nudged.Load() {
			if err := c.runData(); err != nil {
				return err
			}
		}
		if c.work.Load() == 0 {
			return nil
		}
		<-told
	}
}
