package httpclient

import "context"

// EndingKey is the key under which a context has itself as its value if it is an Ending. Contexts that are derived from it
// and end with it have the same value, and the same channel as Done.
var EndingKey any = endingKey{}

type endingKey struct{}

// Ending is a context that cancels an exchange when it ends, without the allocations of context.AfterFunc.
type Ending interface {
	context.Context
	// CancelAtEnd makes the context cancel u, on another goroutine, when it ends. It reports false if it cannot: then it has
	// ended, or is to cancel another exchange. ForgetUse undoes it; it must be called when u is over.
	CancelAtEnd(u Use) bool
	ForgetUse()
}

// Use is one use of a connection or a stream: an exchange, and the number of its turn.
type Use struct {
	ex   exchange
	turn turn
}

// None reports whether u is the zero Use, which is no use of anything.
func (u Use) None() bool { return u.ex == nil }

// Cancel ends the exchange, unless the use is over: reading and sending fail with err.
func (u Use) Cancel(err error) { u.ex.cancel(u.turn, err) }

// watcher watches a context for the end of which an exchange is cancelled.
type watcher interface{ ForgetUse() }

// afterFunc is the stop function of context.AfterFunc as a watcher.
type afterFunc func() bool

// ForgetUse implements watcher.
func (stop afterFunc) ForgetUse() { stop() }

// guard cancels an exchange when a context ends.
type guard struct{ watcher watcher }

// begin begins to watch ctx, unless it is watched already. u is cancelled when ctx ends.
func (g *guard) begin(ctx context.Context, u Use) {
	if g.watcher != nil || ctx.Done() == nil {
		return
	}
	if e, ok := ctx.Value(EndingKey).(Ending); ok && e.Done() == ctx.Done() && e.CancelAtEnd(u) {
		g.watcher = e
		return
	}
	g.watcher = afterFunc(context.AfterFunc(ctx, func() { u.Cancel(context.Cause(ctx)) }))
}

// end ends the watch, if there is one.
func (g *guard) end() {
	if w := g.watcher; w != nil {
		g.watcher = nil
		w.ForgetUse()
	}
}
