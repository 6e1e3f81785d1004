package h2client

// noteIdle notes since when there are no requests. The lock is held.
func (c *Conn) noteIdle() {
	switch {
	case c.Wire().Len() > 0:
		c.idle = 0
	case c.idle == 0:
		c.idle = c.Now()
		c.armIdle()
	}
}

// armIdle has the connection end when it was idle for too long. The lock is held.
func (c *Conn) armIdle() {
	if c.cfg.IdleTimeout > 0 {
		c.Arm(c.idle + int64(c.cfg.IdleTimeout))
	}
}

// Due implements h2conn.Watcher.
func (c *Conn) Due(now int64) (next int64, err error) {
	c.noteIdle()
	if c.idle != 0 {
		return c.dueIdle(now), nil
	}
	next, silent := c.health.Due(&c.Conn, now)
	if silent {
		c.refuse()
		return 0, errNoPong
	}
	return next, nil
}

// dueIdle ends a connection that has been idle for too long. No request can come in between: the lock is held.
func (c *Conn) dueIdle(now int64) (next int64) {
	if c.cfg.IdleTimeout <= 0 || c.closed.Load() || len(c.queue.waiting) > 0 || c.queue.admitted > 0 {
		return 0
	}
	if end := c.idle + int64(c.cfg.IdleTimeout); now < end {
		return end
	}
	c.refuse()
	c.Wire().Shutdown(now)
	return 0
}
