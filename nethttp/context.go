package nethttp

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/httpclient"
	"github.com/shockwave-go/shockwave/server"
)

// requestContext is the context of a request. It ends when the handler returns, when the client goes away, or when
// the connection's context ends. The client is not watched until Done, Err or AfterFunc is called: most handlers
// never do.
//
// All methods may be called concurrently, and at any time.
type requestContext struct {
	conn *connection

	watch atomic.Pointer[contextWatch] // nil until Done, Err or AfterFunc is called

	mu       sync.Mutex
	nr       *server.Request        // nil when the exchange has ended
	nw       *server.ResponseWriter // nil when the exchange has ended; used for deadlines only
	returned bool                   // the handler has returned
}

// contextWatch holds a context of package context's own type, which ends with the connection's context. Contexts
// derived from a requestContext find it through Value, and so need no goroutine to wait for its end.
type contextWatch struct {
	context.Context
	cancel context.CancelFunc
	use    httpclient.Use // is cancelled when the context ends; guarded by requestContext.mu
}

// Deadline returns the deadline of the connection's context.
func (c *requestContext) Deadline() (time.Time, bool) { return c.conn.ctx.Deadline() }

// Value returns the local address for http.LocalAddrContextKey, and c for httpclient.EndingKey. The connection's context
// has http.ServerContextKey and the values that BaseContext and ConnContext added.
func (c *requestContext) Value(key any) any {
	switch key {
	case http.LocalAddrContextKey:
		return c.conn.local()
	case httpclient.EndingKey:
		return c
	}
	if w := c.watch.Load(); w != nil {
		return w.Value(key)
	}
	return c.conn.ctx.Value(key)
}

// String keeps fmt from reading the fields of a context that is in use.
func (c *requestContext) String() string { return "nethttp.Request.Context" }

// Done returns a channel that is closed when the context ends.
func (c *requestContext) Done() <-chan struct{} { return c.watched().Done() }

// Err returns nil until the context has ended.
func (c *requestContext) Err() error { return c.watched().Err() }

// AfterFunc calls f on its own goroutine after the context has ended.
func (c *requestContext) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.watched(), f)
}

// watched returns the watch. The first call makes it, and begins to watch the client and the connection's context.
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
	if c.returned {
		w.cancel()
	} else if c.nr != nil && w.Err() == nil {
		c.nr.OnGone(c.end)
	}
	c.watch.Store(w)
	return w
}

// CancelAtEnd implements httpclient.Ending. A context that ends with the connection's context refuses: package context
// ends it then.
func (c *requestContext) CancelAtEnd(u httpclient.Use) bool {
	w := c.watched()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !w.use.None() || w.Err() != nil || c.conn.ctx.Done() != nil {
		return false
	}
	w.use = u
	return true
}

// ForgetUse implements httpclient.Ending.
func (c *requestContext) ForgetUse() {
	w := c.watch.Load()
	c.mu.Lock()
	w.use = httpclient.Use{}
	c.mu.Unlock()
}

// end ends the context, which is watched.
func (c *requestContext) end() {
	c.mu.Lock()
	c.watch.Load().end()
	c.mu.Unlock()
}

// end ends the context. The caller must hold requestContext.mu.
func (w *contextWatch) end() {
	w.cancel()
	if u := w.use; !u.None() {
		w.use = httpclient.Use{}
		go u.Cancel(context.Canceled)
	}
}

// detach detaches the context from the native request. If end is true, the context ends; otherwise it lives on, as
// after Hijack.
func (c *requestContext) detach(end bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	nr, w := c.nr, c.watch.Load()
	c.returned = c.returned || end
	c.nr, c.nw = nil, nil
	switch {
	case w == nil:
	case end: // the native server stops watching the client
		w.end()
	default:
		nr.OnGone(func() {}) // replaces end
	}
}
