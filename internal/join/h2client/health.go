package h2client

// noteIdle records that the last request may have ended. The caller must hold the lock.
func (c *Conn) noteIdle() {
	if c.Wire().Len() > 0 {
		return
	}
	if c.Err() == nil { // the clock of a connection that is over would be started for nothing
		c.idleStart = c.Now() // Due is called before the connection is idle, and sees this
	}
	if c.cfg.Idle != nil && c.unused() {
		c.cfg.Idle(c)
	}
}

// Due implements h2conn.Watcher.
func (c *Conn) Due(now int64) (next int64, err error) {
	if c.idleStart != 0 {
		return c.dueIdle(now), nil
	}
	c.health.After = c.pings.silence(c.cfg, &c.Conn)
	next, silent := c.health.Due(&c.Conn, now)
	if silent {
		return 0, errNoPong
	}
	return next, nil
}

// dueIdle ends a connection that has been idle for too long. No request can begin meanwhile: the caller holds the lock.
func (c *Conn) dueIdle(now int64) (next int64) {
	timeout := int64(c.cfg.IdleTimeout)
	switch {
	case timeout <= 0:
		return 0
	case now < c.idleStart+timeout:
		return c.idleStart + timeout
	case len(c.queue.waiting) > 0:
		return now + timeout
	}
	c.retire()
	c.Wire().Shutdown(now)
	return 0
}
