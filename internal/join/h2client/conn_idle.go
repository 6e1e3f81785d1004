package h2client

import "time"

// noteIdleLocked records that the last request may have ended.
func (c *Conn) noteIdleLocked() {
	if c.WireLocked().Len() > 0 {
		return
	}
	if c.ErrLocked() == nil { // the clock of a connection that is over would be started for nothing
		c.idleStart = c.Now() // DueLocked is called before the connection is idle, and sees this
	}
	if c.cfg.Idle != nil && c.unusedLocked() {
		c.cfg.Idle(c)
	}
}

// DueLocked implements h2conn.Watcher.
func (c *Conn) DueLocked(now int64) (next int64, err error) {
	if c.idleStart != 0 {
		return c.dueIdleLocked(now), nil
	}
	c.health.Interval = c.pings.silence(c.cfg.PingInterval, c.cfg.PingGap, c.MessagesLocked())
	next, silent := c.health.DueLocked(&c.Conn, now)
	if silent {
		return 0, errNoPong
	}
	return next, nil
}

// dueIdleLocked ends a connection that has been idle for too long.
func (c *Conn) dueIdleLocked(now int64) (next int64) {
	timeout := int64(c.cfg.IdleTimeout)
	switch {
	case timeout <= 0:
		return 0
	case now < c.idleStart+timeout:
		return c.idleStart + timeout
	case len(c.queue.waiting) > 0:
		return now + timeout
	}
	c.retireLocked()
	c.WireLocked().Shutdown(now)
	return 0
}

// idleSince returns since when there have been no requests, and whether there are none. A connection that is less than a
// second old and has had no request does not count as idle: it was opened for one.
func (c *Conn) idleSince() (since int64, idle bool) {
	c.Lock()
	defer c.Unlock()
	isNew := !c.reused.Load() && c.Now()-c.idleStart < int64(time.Second)
	return c.idleStart, c.idleStart != 0 && len(c.queue.waiting) == 0 && !c.closed.Load() && !isNew
}

// setSlower is called when the pool has opened the connection.
func (c *Conn) setSlower(n uint8) {
	c.Lock()
	c.pings.slower = n
	c.Unlock()
}

// nextSlower returns pings.slower for the next connection to the server, and whether it differs from this one's.
func (c *Conn) nextSlower() (n uint8, slower bool) {
	c.Lock()
	defer c.Unlock()
	if !c.goAway.tooManyPings() {
		return 0, false
	}
	return min(c.pings.slower+1, maxSlower), true
}
