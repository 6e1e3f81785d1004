package nethttp

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// requestContext is a request's context. It ends when the handler returns, the client goes away or the connection's
// context ends. Nobody watches the client until somebody asks (Done, Err, AfterFunc): most handlers never do.
//
// All methods may be called concurrently, and for ever.
type requestContext struct {
	conn *connection

	watch atomic.Pointer[contextWatch] // nil until somebody asks

	mu   sync.Mutex
	nr   *server.Request        // nil when the exchange is over
	nw   *server.ResponseWriter // nil when the exchange is over; for deadlines only
	over bool                   // the handler has returned
}

// contextWatch is what a context needs that somebody asked for its end: one of package context's own, which ends with
// the connection's. Contexts made of this one find it by Value, and need no goroutine to wait for its end.
type contextWatch struct {
	context.Context
	cancel   context.CancelFunc
	stopGone func() bool // guarded by the mutex
}

// Deadline returns the deadline of the connection's context.
func (c *requestContext) Deadline() (time.Time, bool) { return c.conn.ctx.Deadline() }

// Value answers http.LocalAddrContextKey itself; the connection's context knows http.ServerContextKey and whatever
// BaseContext and ConnContext added.
func (c *requestContext) Value(key any) any {
	if key == http.LocalAddrContextKey {
		return c.conn.local()
	}
	if w := c.watch.Load(); w != nil {
		return w.Value(key)
	}
	return c.conn.ctx.Value(key)
}

// String keeps fmt from reading the fields of a live context.
func (c *requestContext) String() string { return "nethttp.Request.Context" }

// Done returns a channel that is closed when the context ends.
func (c *requestContext) Done() <-chan struct{} { return c.watched().Done() }

// Err returns nil until the context has ended.
func (c *requestContext) Err() error { return c.watched().Err() }

// AfterFunc calls f on a goroutine of its own when the context has ended.
func (c *requestContext) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.watched(), f)
}

// watched returns the context's watch. The first time it begins to look for the end of the client and of the connection's
// context.
func (c *requestContext) watched() *contextWatch {
	if w := c.watch.Load(); w != nil {
		return w
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.watch.Load(); w != nil {
		return w
	}
	w := new(contextWatch)
	w.Context, w.cancel = context.WithCancel(c.conn.ctx)
	if c.over {
		w.cancel()
	} else if c.nr != nil && w.Err() == nil {
		w.stopGone = c.nr.OnGone(w.cancel)
	}
	c.watch.Store(w)
	return w
}

// leave forgets the native request. With end the context ends; without it lives on, as after Hijack.
func (c *requestContext) leave(end bool) {
	c.mu.Lock()
	c.over = c.over || end
	c.nr, c.nw = nil, nil
	w := c.watch.Load()
	if w == nil {
		c.mu.Unlock()
		return
	}
	gone := w.stopGone
	w.stopGone = nil
	c.mu.Unlock()
	if gone != nil {
		gone()
	}
	if end {
		w.cancel()
	}
}
