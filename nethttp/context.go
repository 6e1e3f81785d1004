package nethttp

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// requestContext is a request's context. It ends when the handler returns, the client goes away or the connection's
// context ends. Nobody watches the client until somebody asks (Done, Err, AfterFunc): most handlers never do.
//
// All methods may be called concurrently, and for ever.
type requestContext struct {
	conn *connection

	mu    sync.Mutex
	nr    *server.Request        // nil when the exchange is over
	nw    *server.ResponseWriter // nil when the exchange is over; for deadlines only
	over  bool                   // the context has ended; with context.Canceled if watch is nil
	watch *contextWatch          // nil until somebody asks
}

// contextWatch is what a context needs that somebody asked for its end. It is guarded by the context's mutex.
type contextWatch struct {
	err        error         // of a context that is over
	done       chan struct{} // made when asked for
	stopGone   func() bool
	stopParent func() bool
	funcs      []*afterFunc
}

// afterFunc is one registered call; its address is its identity.
type afterFunc struct{ f func() }

// Deadline returns the deadline of the connection's context.
func (c *requestContext) Deadline() (time.Time, bool) { return c.conn.ctx.Deadline() }

// Value answers http.LocalAddrContextKey itself; the connection's context knows http.ServerContextKey and whatever
// BaseContext and ConnContext added.
func (c *requestContext) Value(key any) any {
	if key == http.LocalAddrContextKey {
		return c.conn.local()
	}
	return c.conn.ctx.Value(key)
}

// String keeps fmt from reading the fields of a live context.
func (c *requestContext) String() string { return "nethttp.Request.Context" }

// Done returns a channel that is closed when the context ends.
func (c *requestContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watched()
	if w.done == nil {
		w.done = make(chan struct{})
		if c.over {
			close(w.done)
		}
	}
	return w.done
}

// Err returns nil until the context has ended.
func (c *requestContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched().err
}

// AfterFunc calls f on a goroutine of its own when the context has ended. Package context looks for this method:
// with it a context.WithTimeout on top needs no goroutine to wait for its parent.
func (c *requestContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watched()
	if c.over {
		go f()
		return func() bool { return false }
	}
	a := &afterFunc{f}
	w.funcs = append(w.funcs, a)
	return func() bool { return c.forget(a) }
}

// forget takes a registered call back and tells whether it had not been made.
func (c *requestContext) forget(a *afterFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.watch
	for i, b := range w.funcs {
		if a == b {
			last := len(w.funcs) - 1
			w.funcs[i], w.funcs[last] = w.funcs[last], nil
			w.funcs = w.funcs[:last]
			return true
		}
	}
	return false
}

// watched returns c.watch. The first time it begins to look for the end of the client and of the connection's context.
// c.mu is held.
func (c *requestContext) watched() *contextWatch {
	if c.watch != nil {
		return c.watch
	}
	w := new(contextWatch)
	c.watch = w
	if c.over {
		w.err = context.Canceled
		return w
	}
	parent := c.conn.ctx
	if parent.Done() != nil {
		if err := parent.Err(); err != nil {
			c.endLocked(err)
			return w
		}
		w.stopParent = context.AfterFunc(parent, func() { c.end(parent.Err()) })
	}
	if c.nr != nil {
		w.stopGone = c.nr.OnGone(func() { c.end(context.Canceled) })
	}
	return w
}

// end ends the context, unless it has ended before; for the goroutines that watch.
func (c *requestContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(err)
}

// endLocked ends the context with err, which is context.Canceled if nobody has asked yet. c.mu is held.
func (c *requestContext) endLocked(err error) {
	if c.over {
		return
	}
	c.over = true
	w := c.watch
	if w == nil {
		return
	}
	w.err = err
	if w.done != nil {
		close(w.done)
	}
	for _, a := range w.funcs {
		go a.f()
	}
	w.funcs = nil
}

// leave forgets the native request. With end the context ends; without it lives on, as after Hijack.
func (c *requestContext) leave(end bool) {
	c.mu.Lock()
	if end {
		c.endLocked(context.Canceled)
	}
	c.nr, c.nw = nil, nil
	w := c.watch
	if w == nil {
		c.mu.Unlock()
		return
	}
	gone, parent := w.stopGone, w.stopParent
	w.stopGone, w.stopParent = nil, nil
	c.mu.Unlock()
	if gone != nil {
		gone()
	}
	if parent != nil {
		parent()
	}
}
