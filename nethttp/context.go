package nethttp

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
	"github.com/shockwave-go/shockwave/server"
)

// requestContext is the context of a request. It ends when the handler returns, when the client goes away, or when
// the connection's context ends. The client is not watched until Done, Err or AfterFunc is called: most handlers
// never do. The first of these calls checks whether the client is still there; later ones do not.
//
// All methods may be called concurrently, and at any time.
type requestContext struct {
	conn *connection

	watch atomic.Pointer[contextWatch] // nil until Done, Err or AfterFunc is called

	mu   sync.Mutex
	nr   *server.Request        // nil when the exchange has ended
	nw   *server.ResponseWriter // nil when the exchange has ended; used for deadlines only
	over bool                   // the context has ended or, if it is not watched, ends with the first look
}

// contextWatch holds a context of package context's own type, which ends with the connection's context. Contexts
// derived from a requestContext find it through Value, and so need no goroutine to wait for its end.
//
// Its end may come while locks of the connection are held, and from under requestContext.mu: it takes no lock but its own.
type contextWatch struct {
	context.Context
	cancel context.CancelFunc

	mu  sync.Mutex
	use httpclient.Use // is cancelled when the context ends
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

// watched returns the watch. The first call makes it, begins to watch the client and the connection's context, and looks
// whether the client has gone already.
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
		c.nr.OnClientGoneInline(w.end) // first: an end after the look is not missed
		if c.nr.ClientGone() {
			w.end()
		}
	}
	c.watch.Store(w)
	return w
}

// CancelAtEnd implements httpclient.Ending. A context that ends with the connection's context refuses: package context
// ends it then.
func (c *requestContext) CancelAtEnd(u httpclient.Use) bool {
	w := c.watched()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.use.None() || w.Err() != nil || c.conn.ctx.Done() != nil {
		return false
	}
	w.use = u
	return true
}

// ForgetUse implements httpclient.Ending.
func (c *requestContext) ForgetUse() {
	w := c.watch.Load()
	w.mu.Lock()
	w.use = httpclient.Use{}
	w.mu.Unlock()
}

// end ends the context.
func (w *contextWatch) end() {
	w.cancel()
	w.mu.Lock()
	u := w.use
	w.use = httpclient.Use{}
	w.mu.Unlock()
	if !u.None() {
		go u.Cancel(context.Canceled)
	}
}

// end ends the context.
func (c *requestContext) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.endLocked()
}

// endLocked is end for a caller that holds c.mu.
func (c *requestContext) endLocked() {
	c.over = true
	if w := c.watch.Load(); w != nil {
		w.end()
	}
}

// detach detaches the context from the native request. If end is true, the context ends; otherwise it lives on, as
// after Hijack.
func (c *requestContext) detach(end bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	nr := c.nr
	c.nr, c.nw = nil, nil
	if end {
		c.endLocked() // the native server stops watching the client
	} else if c.watch.Load() != nil {
		nr.OnClientGoneInline(func() {}) // replaces end
	}
}
