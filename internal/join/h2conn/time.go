package h2conn

import (
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// StreamOpened must be called when the owner has begun a stream of its own outside Data. The caller must hold the lock.
func (c *Conn) StreamOpened() { c.noteStreams() }

// Arm makes Due be called at the time at, or earlier. The caller must hold the lock.
func (c *Conn) Arm(at int64) { c.arm(at) }

// noteStreams is called whenever streams may have begun. It tells netconn that there is work: a connection with streams
// is not idle, not parked and not closed by Shutdown. The caller must hold the lock.
func (c *Conn) noteStreams() {
	if c.err != nil {
		return
	}
	if c.wire.Len() > 0 {
		if c.work == idle {
			c.link.BeginWork()
			c.arm(c.Now() + int64(idleDelay))
		}
		c.work = active
	}
	c.arm(c.wire.Deadline())
}

// becomeIdle records that there are no streams, and reports whether the caller must call EndWork. The caller must hold
// the lock.
func (c *Conn) becomeIdle() bool {
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
	c.park()
}

// park releases the memory that a connection without streams does not need. The caller must hold the lock.
func (c *Conn) park() {
	if len(c.out) == 0 {
		c.out = nil
	}
	c.wire.Trim()
}

// ending reports whether the connection ends with its last stream. The caller must hold the lock.
func (c *Conn) ending() bool { return c.ended || c.wire.Drained() }

// arm makes Alarm be called at the time at, or earlier; 0 is never. It does nothing once the connection is over. The
// caller must hold the lock.
func (c *Conn) arm(at int64) {
	if at == 0 || c.err != nil || c.alarm != 0 && c.alarm <= at {
		return
	}
	c.alarm = at
	c.link.SetAlarm(time.Duration(max(at-c.Now(), 1)))
}

// AlarmEarly implements netconn.EarlyAlarmer.
func (*Conn) AlarmEarly() {}

// Alarm implements netconn.Alarmer. It does what is due: timeouts of the wire, deadlines of streams, the owner's Due, and
// the detection that the connection is idle.
func (c *Conn) Alarm() {
	c.mu.Lock()
	c.alarm = 0
	now := c.Now()
	broken := c.tick(now)
	var next int64
	for w := range c.wire.Streams {
		next = earlier(next, streamOf(w).expire(now))
	}
	if w, ok := c.owner.(Watcher); ok && c.err == nil {
		at, err := w.Due(now)
		if next = earlier(next, at); err != nil {
			c.wire.Fail(http2.ErrCodeNo, "")
			c.fail(err)
			broken = true
		}
	}
	free := false
	switch {
	case c.wire.Len() > 0:
	case c.work == quiet:
		free = c.becomeIdle()
	case c.work == active:
		c.work = quiet
	}
	if c.work == idle {
		c.park() // the last frames of a stream may have been sent after the connection was parked
	} else {
		next = earlier(next, now+int64(idleDelay))
	}
	c.arm(next)
	c.arm(c.wire.Deadline())
	drained := c.wire.Drained()
	names := c.takeUncounted()
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

// tick lets the wire do what is due, and reports whether that ended the connection. The caller must hold the lock.
func (c *Conn) tick(now int64) (broken bool) {
	ev := eventPool.Get().(*http2.Event)
	defer putEvent(ev)
	for c.err == nil {
		var err error
		if *ev, err = c.wire.Tick(now); err != nil {
			c.noteError(connPrefix, err)
			c.fail(err)
			return true
		}
		if ev.Kind == http2.EventNone {
			return false
		}
		c.handle(ev)
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
