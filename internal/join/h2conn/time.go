package h2conn

import (
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// NoteStreamsLocked is called whenever streams may have begun. It tells netconn that there is work: a connection with
// streams is not idle, not parked and not closed by Shutdown.
func (c *Conn) NoteStreamsLocked() {
	if c.err != nil {
		return
	}
	if c.wire.Len() > 0 {
		if c.work == idle {
			c.link.BeginWork()
			c.ArmLocked(c.Now() + int64(idleDelay))
		}
		c.work = active
	}
	c.ArmLocked(c.wire.Deadline())
}

// becomeIdleLocked records that there are no streams, and reports whether the caller must call EndWork.
func (c *Conn) becomeIdleLocked() bool {
	if c.work == idle || c.wire.Len() > 0 {
		return false
	}
	c.work, c.used = idle, true
	return true
}

// Pool is the http2.Config.Pool of all connections: it holds the memory that none of them needs while it is idle.
var Pool = new(sync.Pool)

// Park implements netconn.Parker.
func (c *Conn) Park() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parkLocked()
}

// parkLocked releases the memory that a connection without streams does not need.
func (c *Conn) parkLocked() {
	if len(c.out) == 0 {
		c.out = nil
	}
	c.wire.Trim()
}

// endingLocked reports whether the connection ends with its last stream.
func (c *Conn) endingLocked() bool { return c.ended || c.wire.Drained() }

// arm makes Alarm be called at the time at, or earlier; 0 is never. It does nothing once the connection is over.
func (c *Conn) ArmLocked(at int64) {
	if at == 0 || c.err != nil || c.alarm != 0 && c.alarm <= at {
		return
	}
	c.alarm = at
	c.link.SetAlarm(time.Duration(max(at-c.Now(), 1)))
}

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
		next = earlier(next, streamOf(w).expireLocked(now))
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
	switch {
	case c.wire.Len() > 0:
	case c.work == quiet:
		free = c.becomeIdleLocked()
	case c.work == active:
		c.work = quiet
	}
	if c.work == idle {
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
	c.policy.countErrors(names)
}

// tickLocked lets the wire do what is due, and reports whether that ended the connection.
func (c *Conn) tickLocked(now int64) (broken bool) {
	ev := eventPool.Get().(*http2.Event)
	defer putEvent(ev)
	for c.err == nil {
		var err error
		if *ev, err = c.wire.Tick(now); err != nil {
			c.noteErrorLocked(connPrefix, err)
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

// earlier returns the earlier of two times, where 0 means never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
