package h2client

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
	c.health.After = c.pings.silence(c.cfg, &c.Conn)
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
