package h2client

// noteIdle notes since when there are no requests. The lock is held.
func (c *Conn) noteIdle() {
	if c.Wire().Len() > 0 {
		return
	}
	if c.Err() == nil { // who asks for the time of one that is over wakes its clock for nothing
		c.idle = c.Now() // Due is asked while the connection comes to rest
	}
	if c.cfg.Idle != nil && c.unused() {
		c.cfg.Idle(c)
	}
}

// Due implements h2conn.Watcher.
func (c *Conn) Due(now int64) (next int64, err error) {
	if c.idle != 0 {
		return c.dueIdle(now), nil
	}
	next, silent := c.health.Due(&c.Conn, now)
	if silent {
		return 0, errNoPong
	}
	return next, nil
}

// dueIdle ends a connection that has been idle for too long. No request can come in between: the lock is held.
func (c *Conn) dueIdle(now int64) (next int64) {
	timeout := int64(c.cfg.IdleTimeout)
	switch {
	case timeout <= 0:
		return 0
	case now < c.idle+timeout:
		return c.idle + timeout
	case len(c.queue.waiting) > 0:
		return now + timeout
	}
	c.refuse()
	c.Wire().Shutdown(now)
	return 0
}
