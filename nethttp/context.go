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

	mu         sync.Mutex
	nr         *server.Request        // nil when the exchange is over
	nw         *server.ResponseWriter // nil when the exchange is over; for deadlines only
	err        error
	done       chan struct{} // made when asked for
	watching   bool
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
		return c.conn.local
	}
	return c.conn.ctx.Value(key)
}

// String keeps fmt from reading the fields of a live context.
func (c *requestContext) String() string { return "nethttp.Request.Context" }

// Done returns a channel that is closed when the context ends.
func (c *requestContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
		c.watch()
	}
	return c.done
}

// Err returns nil until the context has ended.
func (c *requestContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch()
	return c.err
}

// AfterFunc calls f on a goroutine of its own when the context has ended. Package context looks for this method:
// with it a context.WithTimeout on top needs no goroutine to wait for its parent.
func (c *requestContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watch()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	a := &afterFunc{f}
	c.funcs = append(c.funcs, a)
	return func() bool { return c.forget(a) }
}

// forget takes a registered call back and tells whether it had not been made.
func (c *requestContext) forget(a *afterFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, b := range c.funcs {
		if a == b {
			last := len(c.funcs) - 1
			c.funcs[i], c.funcs[last] = c.funcs[last], nil
			c.funcs = c.funcs[:last]
			return true
		}
	}
	return false
}

// watch begins to look for the end of the client and of the connection's context. c.mu is held.
func (c *requestContext) watch() {
	if c.watching || c.err != nil {
		return
	}
	c.watching = true
	parent := c.conn.ctx
	if parent.Done() != nil {
		if err := parent.Err(); err != nil {
			c.endLocked(err)
			return
		}
		c.stopParent = context.AfterFunc(parent, func() { c.end(parent.Err()) })
	}
	if c.nr != nil {
		c.stopGone = c.nr.OnGone(func() { c.end(context.Canceled) })
	}
}

// end ends the context, unless it has ended before; for the goroutines that watch.
func (c *requestContext) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked(err)
}

func (c *requestContext) endLocked(err error) {
	if c.err != nil {
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	for _, a := range c.funcs {
		go a.f()
	}
	c.funcs = nil
}

// leave forgets the native request. err ends the context; with nil it lives on, as after Hijack.
func (c *requestContext) leave(err error) {
	c.mu.Lock()
	if err != nil {
		c.endLocked(err)
	}
	gone, parent := c.stopGone, c.stopParent
	c.nr, c.nw, c.stopGone, c.stopParent = nil, nil, nil, nil
	c.mu.Unlock()
	if gone != nil {
		gone()
	}
	if parent != nil {
		parent()
	}
}
