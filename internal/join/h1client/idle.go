package h1client

import "time"

// watch is a call of Conn.Watch.
type watch struct {
	stop     func() bool // the stop of Pulled.Watch
	endAfter bool        // watchFired closes the connection with endErr
	endErr   error
}

// Watch calls f once, on a goroutine of its own, when an idle connection cannot be used any more: bytes or the end of the
// stream have arrived from the server, or d has passed (0 means no bound). f should close the connection. stop ends the
// watch and reports whether f will not be called. A request that begins ends the watch, too. If the connection is closed
// otherwise f is not called, but onEnd of New is. There can be only one watch at a time.
//
// A watch costs a few allocations and a system call, and on Linux no goroutine; see netconn's Pulled.Watch.
func (c *Conn) Watch(d time.Duration, f func()) (stop func() bool) {
	c.turn.mu.Lock()
	defer c.turn.mu.Unlock()
	if !c.idleLocked() || c.watch != nil {
		return func() bool { return false }
	}
	w := new(watch)
	c.watch = w
	w.stop = c.turn.p.Watch(d, func() { c.watchFired(w, f) })
	return func() bool {
		c.turn.mu.Lock()
		defer c.turn.mu.Unlock()
		return c.watch == w && c.unwatchLocked(w)
	}
}

// unwatchLocked ends w, which may be nil, and reports whether nothing watches any more. If that took too long the connection has been
// aborted when unwatch returns, so that no request begins on it.
func (c *Conn) unwatchLocked(w *watch) bool {
	if w == nil {
		return true
	}
	if !w.stop() {
		return false
	}
	c.watch = nil
	return true
}

// watchFired is called when w has seen something.
func (c *Conn) watchFired(w *watch, f func()) {
	c.turn.mu.Lock()
	c.watch = nil
	ends, how := w.endAfter, w.endErr
	c.turn.mu.Unlock()
	if ends {
		c.finish(how)
		return
	}
	f()
}

// Looks reports whether Fresh can look at the connection.
func (c *Conn) Looks() bool { return c.turn.p.Looks() }

// Fresh looks at an idle connection, without waiting, and reports whether a request may be sent: nothing has arrived from
// the server, not even the end of the stream. On a socket that costs one system call. If Looks returns false Fresh knows
// only what a Watch has seen.
func (c *Conn) Fresh() bool {
	c.turn.mu.Lock()
	fresh := c.idleLocked() && c.watch == nil && !c.turn.p.Draining() && c.turn.p.Fresh()
	c.turn.mu.Unlock()
	return fresh
}
