package h2conn

import (
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/http2"
)

// Opened is to be called when the owner has begun a stream of its own, outside Data. The lock is held.
func (c *Conn) Opened() { c.look() }

// Arm has Due called at a moment, or earlier. The lock is held.
func (c *Conn) Arm(at int64) { c.arm(at) }

// look is called whenever streams may have begun: a connection with streams is not idle, not parked and not shut down.
// The lock is held.
func (c *Conn) look() {
	if c.over != nil {
		return
	}
	if c.wire.Len() > 0 {
		if c.work == idle {
			c.link.BeginWork()
			c.arm(c.Now() + int64(rest))
		}
		c.work = active
	}
	c.arm(c.wire.Deadline())
}

// rested notes that there are no streams, and reports whether the caller is to call EndWork. The lock is held.
func (c *Conn) rested() bool {
	if c.work == idle || c.wire.Len() > 0 {
		return false
	}
	c.work, c.used = idle, true
	return true
}

// workspaces are what connections need that are not parked.
var workspaces = sync.Pool{New: func() any { return new(http2.Workspace) }}

// unpark gives the wire what it needs to be used. The lock is held.
func (c *Conn) unpark() {
	if c.wire.Parked() {
		c.wire.Use(workspaces.Get().(*http2.Workspace))
	}
}

// Park implements netconn.Parker.
func (c *Conn) Park() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.park()
}

// park gives back what a connection without streams does not need. The lock is held.
func (c *Conn) park() {
	if len(c.out) == 0 {
		c.out = nil
	}
	if w := c.wire.Park(); w != nil {
		workspaces.Put(w)
	}
}

// hurried reports whether the last stream's end is waited for. The lock is held.
func (c *Conn) hurried() bool { return c.ended || c.wire.Drained() }

// arm has Alarm called at a moment, 0 for none, or earlier. Nobody waits on a connection that is over. The lock is held.
func (c *Conn) arm(at int64) {
	if at == 0 || c.over != nil || c.alarm != 0 && c.alarm <= at {
		return
	}
	c.alarm = at
	c.link.SetAlarm(time.Duration(max(at-c.Now(), 1)))
}

// Alarm implements netconn.Alarmer: it does what is due.
func (c *Conn) Alarm() {
	c.mu.Lock()
	c.alarm = 0
	now := c.Now()
	broken := c.tick(now)
	var next int64
	for w := range c.wire.Streams {
		next = earlier(next, streamOf(w).expire(now))
	}
	if w, ok := c.owner.(Watcher); ok && c.over == nil {
		at, err := w.Due(now)
		if next = earlier(next, at); err != nil {
			c.wire.Fail(http2.NoError, "")
			c.fail(err)
			broken = true
		}
	}
	free := false
	switch {
	case c.wire.Len() > 0:
	case c.work == resting:
		free = c.rested()
	case c.work == active:
		c.work = resting
	}
	if c.work == idle {
		c.park() // the last of a stream may have gone while the connection was parked
	} else {
		next = earlier(next, now+int64(rest))
	}
	c.arm(next)
	c.arm(c.wire.Deadline())
	drained := c.wire.Drained()
	noted := c.takeNoted()
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
	c.policy.tell(noted)
}

// tick has the wire do what is due, and reports whether that ends the connection. The lock is held.
func (c *Conn) tick(now int64) (broken bool) {
	ev := events.Get().(*http2.Event)
	defer giveBack(ev)
	for c.over == nil {
		var err error
		if *ev, err = c.wire.Tick(now); err != nil {
			c.noteError(ofConn, err)
			c.fail(err)
			return true
		}
		if ev.Kind == http2.None {
			return false
		}
		c.handle(ev)
	}
	return false
}

// earlier returns the earlier of two moments, of which 0 is never.
func earlier(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
