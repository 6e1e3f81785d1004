package netconn

import "github.com/shockwave-go/shockwave/internal/core/clock"

// Work goes on for a connection after Data has returned, such as streams that are being answered. While there is any,
// the connection is not idle and is not parked, and Shutdown waits for it.

// BeginWork counts a piece of work that goes on after Data. Any goroutine may call it while Data runs or other work
// goes on.
func (c *Conn) BeginWork() { c.work.Add(1) }

// EndWork ends a piece of work. After the last one Data runs once more, with or without input. Any goroutine may call
// it.
func (c *Conn) EndWork() {
	if c.work.Add(-1) == 0 {
		c.Nudge()
	}
}

// DoNotAwait sets whether Shutdown returns although the connection has not ended, because what goes on there is not for its
// protocol to end. It goes on. Any goroutine may call it at any time.
func (c *Conn) DoNotAwait(v bool) { c.eng.setUnawaited(&c.Link, v) }

// Nudge makes Data run once more even if no input comes: after the current run, or as soon as possible. Any goroutine
// may call it.
func (c *Conn) Nudge() {
	c.nudged.Store(true)
	c.wake()
}

// wake implements reader.
func (c *Conn) wake() {
	c.unpark() // a parked connection's new goroutine finds the mark set below, and checks its flags
	c.tr.WakeReader()
	if w := c.extra.Load(); w != nil {
		w.signalWake()
	}
}

// writeFailed implements reader. The loop may be waiting for input that will never come.
func (c *Conn) writeFailed() {
	c.wake()
	if b, ok := c.owner().(Breaker); ok {
		go b.Broke()
	}
}

// drain implements reader. A Drainer closes the connection itself; others end when they are idle.
func (c *Conn) drain() {
	if d, ok := c.owner().(Drainer); ok {
		d.Drain()
		return
	}
	if !c.drainHandshake() {
		c.wake()
	}
}

// endsWhenIdle reports whether the connection is to end as soon as it is idle.
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

// firstMessageDeadline returns when Shutdown ends a connection that has not sent anything yet: its first message may be
// on the way. It returns 0 for all other connections, and without FirstGrace.
func (c *Conn) firstMessageDeadline() clock.Moment {
	if c.frequency != neverUsed {
		return 0
	}
	until := clock.After(c.idleSince, c.eng.cfg.FirstGrace)
	if until != 0 {
		until += int64(clock.Tick) // idleSince may be too early by a tick
	}
	return until
}

// busy reports whether work goes on or Data is to run without input.
func (c *Conn) busy() bool { return c.work.Load() > 0 || c.nudged.Load() }

// awaitWork runs Data whenever it is nudged, until no work is left.
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
