package netconn

// wake implements reader.
func (c *Conn) wake() {
	c.unpark() // a parked connection's new goroutine finds the mark set below, and checks its flags
	c.tr.WakeReader()
	if x := c.extra.Load(); x != nil {
		x.signalWake()
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
