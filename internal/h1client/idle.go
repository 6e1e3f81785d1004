package h1client

import "time"

// watch is a wish of who holds an idle connection.
type watch struct {
	stop func() bool // Pulled.Watch's
	ends bool        // the connection ends as how says when the watch does
	how  error
}

// Watch has f called once, on a goroutine of its own, when a connection that is idle is of no more use so: something has
// come from the server, even the end, or d has passed (0: never). Then the connection is closed by who holds it. stop
// takes the wish back and reports whether f will not be called; a request begins when it was, or f is not called because
// the connection has ended, which New's over is told. One wish at a time.
//
// It costs a few allocations and a system call for each wish, and no goroutine on Linux; see netconn's Pulled.Watch.
func (c *Conn) Watch(d time.Duration, f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended || c.users > 0 || c.watch != nil {
		return func() bool { return false }
	}
	w := new(watch)
	c.watch = w
	w.stop = c.p.Watch(d, func() { c.fired(w, f) })
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.watch == w && c.unwatch(w)
	}
}

// unwatch takes a wish back, and reports whether nobody watches any more. w may be nil. c.mu is held.
func (c *Conn) unwatch(w *watch) bool {
	if w == nil {
		return true
	}
	if !c.Looks() {
		defer time.AfterFunc(maxUnwatch, c.p.Abort).Stop()
	}
	if !w.stop() {
		return false
	}
	c.watch = nil
	return true
}

// maxUnwatch is how long ending a watch may take where a goroutine reads. A net.Conn of unknown kind may have read deadlines
// that do nothing and return no error: only closing the connection ends that read, and then no request can be sent on it.
const maxUnwatch = 100 * time.Millisecond

// fired grants the wish.
func (c *Conn) fired(w *watch, f func()) {
	c.mu.Lock()
	c.watch = nil
	ends, how := w.ends, w.how
	c.mu.Unlock()
	if ends {
		c.finish(how)
		return
	}
	f()
}

// Looks reports whether Fresh can look.
func (c *Conn) Looks() bool { return c.p.Looks() }

// Fresh looks at an idle connection without waiting, and reports whether nothing has come from the server, not even its end:
// a request may be sent. That costs one system call on a socket. Where a connection cannot be looked at only what a Watch
// has found is known.
func (c *Conn) Fresh() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.ended && c.users == 0 && c.watch == nil && !c.p.Draining() && c.p.Fresh()
}
