package h2conn

import "github.com/shockwave-go/shockwave/http2"

// AlarmEarly implements netconn.EarlyAlarmer.
func (*Conn) AlarmEarly() {}

// Alarm implements netconn.Alarmer. It does what is due: timeouts of the wire, deadlines of streams, the owner's DueLocked, and
// the detection that the connection is idle.
func (c *Conn) Alarm() {
	c.mu.Lock()
	c.alarm = 0
	now := c.Now()
	broken := c.tickLocked(now)
	var next int64
	for w := range c.wire.Streams {
		next = earlier(next, StreamOf(w).expireLocked(now))
	}
	if w, ok := c.owner.(Watcher); ok && c.err == nil {
		at, err := w.DueLocked(now)
		if next = earlier(next, at); err != nil {
			c.wire.Fail(http2.ErrCodeNo, "")
			c.failLocked(err)
			broken = true
		}
	}
	free := false
	if c.wire.Len() == 0 {
		free = c.activity.alarm()
	}
	if c.activity.state == idle {
		c.parkLocked() // the last frames of a stream may have been sent after the connection was parked
	} else {
		next = earlier(next, now+int64(idleDelay))
	}
	c.ArmLocked(next)
	c.ArmLocked(c.wire.Deadline())
	drained := c.wire.Drained()
	names := c.takeUncountedLocked()
	c.mu.Unlock()
	c.link.Draw(c)
	if broken {
		c.link.Quit()
	}
	if free {
		c.link.EndWork()
	}
	if drained {
		c.link.Nudge()
	}
	names.report(c.policy.CountError)
}

// tickLocked lets the wire do what is due, and reports whether that ended the connection.
func (c *Conn) tickLocked(now int64) (broken bool) {
	ev := eventPool.Get().(*http2.Event)
	defer putEvent(ev)
	for c.err == nil {
		var err error
		if *ev, err = c.wire.Tick(now); err != nil {
			c.countErrorLocked(connPrefix, err)
			c.failLocked(err)
			return true
		}
		if ev.Kind == http2.EventNone {
			return false
		}
		c.handleLocked(ev)
	}
	return false
}
