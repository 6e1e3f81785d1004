package h1client

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// Cancel ends the given exchange, by its number, and the connection at once. Reading and sending fail with err, also when
// they are waiting. It does nothing if that exchange is over. Any goroutine may call it.
//
// Cancel reports whether it has ended the connection. One that belongs to a Tunnel stays; only sending fails.
func (c *Conn) Cancel(exchange int, err error) (ends bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.underWay(exchange) || c.cancelErr() != nil {
		return false
	}
	c.canceled.Store(&err)
	c.unblockSender()
	if c.tunneled {
		return false
	}
	c.p.Abort()
	return true
}

// underWay reports whether the exchange with the given number is the current one and not over. The caller must hold mu.
func (c *Conn) underWay(exchange int) bool { return c.users > 0 && c.served == exchange }

// Abort closes the connection at once. A current exchange fails with netconn.ErrAbort. Any goroutine may call it.
func (c *Conn) Abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users > 0 || c.tunneled {
		c.unblockSender()
		c.p.Abort()
		return
	}
	c.end(netconn.ErrAbort)
}

// Close closes the connection in good order: now if it is idle, otherwise after the current exchange. Any goroutine may
// call it.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
	case c.users > 0:
		c.last = true
	default:
		c.end(nil)
	}
}

// end closes an idle connection, with a reset if how is netconn.ErrAbort, in good order if it is nil. The caller must hold
// mu.
func (c *Conn) end(how error) {
	if c.ended {
		return
	}
	c.ended = true
	if w := c.watch; !c.unwatch(w) {
		w.endAfter, w.endErr = true, how // watchFired will close it
		return
	}
	go c.finish(how)
}

// finish closes the connection. The caller must be its only reader.
func (c *Conn) finish(how error) {
	c.p.Take(len(c.p.Unread())) // unsolicited bytes; with them the end would wait for the server to read our output
	c.p.Finish(how)
	c.onEnd(c)
}
