package h1client

import "github.com/shockwave-go/shockwave/internal/netconn"

// Cancel ends the exchange and the connection with it, at once: whoever reads or sends is told err, also who waits. Any
// goroutine may call it while somebody uses the exchange; before Begin it does nothing, and it must not come so late that it
// hits the next one. Who has it called when a context ends (context.AfterFunc, after Begin) leaves when stop has returned
// true, or else when it has been called.
func (c *Conn) Cancel(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 0 || c.failure != nil {
		return
	}
	c.failure = err
	c.release()
	c.p.Abort()
}

// Abort ends the connection now. An exchange fails with netconn.ErrAbort. Any goroutine may call it.
func (c *Conn) Abort() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users > 0 || c.given {
		c.release()
		c.p.Abort()
		return
	}
	c.end(netconn.ErrAbort)
}

// Close ends the connection in good order, when it is idle: after the exchange that is under way, if there is one. Any
// goroutine may call it.
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

// end ends a connection that nobody uses: with a reset if how is netconn.ErrAbort, in good order if it is nil. c.mu is held.
func (c *Conn) end(how error) {
	if c.ended {
		return
	}
	c.ended = true
	if w := c.watch; !c.unwatch(w) {
		w.ends, w.how = true, how // who watches still does
		return
	}
	go c.finish(how)
}

// finish ends the connection, as its reader.
func (c *Conn) finish(how error) {
	c.p.Take(len(c.p.Unread())) // nobody asked for it: the end does not wait until the server has read ours
	c.p.Finish(how)
	c.over(c)
}
