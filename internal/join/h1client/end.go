package h1client

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// Cancel ends the given exchange, by its number, and the connection at once. Reading and sending fail with err, also when
// they are waiting. It does nothing if that exchange is over. Any goroutine may call it.
//
// Cancel reports whether it has ended the connection. One that belongs to a Tunnel stays; only sending fails.
func (c *Conn) Cancel(exchange int, err error) (ends bool) {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	if !c.turn.underWayLocked(exchange) || c.turn.cancelErr() != nil {
		return false
	}
	c.turn.canceled.Store(&err)
	c.turn.unblockSenderLocked()
	if c.state == tunneled {
		return false
	}
	c.turn.p.Abort()
	return true
}

// Abort closes the connection at once. A current exchange fails with netconn.ErrAbort. Any goroutine may call it.
func (c *Conn) Abort() {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	if c.turn.users > 0 || c.state == tunneled {
		c.turn.unblockSenderLocked()
		c.turn.p.Abort()
		return
	}
	c.endLocked(netconn.ErrAbort)
}

// Close closes the connection in good order: now if it is idle, otherwise after the current exchange. Any goroutine may
// call it.
func (c *Conn) Close() {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	switch {
	case c.state == ended:
	case c.turn.users > 0:
		c.turn.last = true
	default:
		c.endLocked(nil)
	}
}

// endLocked closes an idle connection, with a reset if how is netconn.ErrAbort, in good order if it is nil.
func (c *Conn) endLocked(how error) {
	if c.state != open {
		return
	}
	c.state = ended
	if w := c.watch; !c.unwatchLocked(w) {
		w.endAfter, w.endErr = true, how // watchFired will close it
		return
	}
	go c.finish(how)
}

// finish closes the connection. The caller must be its only reader.
func (c *Conn) finish(how error) {
	c.turn.p.Take(len(c.turn.p.Unread())) // unsolicited bytes; with them the end would wait for the server to read our output
	c.turn.p.Finish(how)
	c.onEnd(c)
}
