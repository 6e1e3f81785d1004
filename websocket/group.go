package websocket

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// ErrGroupClosed means that a connection cannot be opened because its Group has been shut down.
var ErrGroupClosed = errors.New("websocket: the group has been shut down")

// DefaultGroup is the Group of connections whose Config has none.
var DefaultGroup = new(Group)

// Group is a set of connections that are shut down together, such as those of one server. Each connection belongs to one
// Group for good; for connections that get the same messages, see Room. The zero Group is ready to use. A Group must not
// be copied. All methods are safe for concurrent use.
type Group struct {
	// The fields must be set before the first connection.

	// Logger logs panics of callbacks. Default: slog.Default().
	Logger *slog.Logger
	// BacklogMemory bounds the total size of the backlogs of all connections, in bytes. A prepared message counts once,
	// however many backlogs it waits in. When there is no room for a message, Config.Slow decides what its connection does
	// with it. Each connection may always keep one message, and a connection that drops old messages for new ones may keep
	// as many bytes as it has. So a thousand peers that read nothing cost this much and one message each, besides what was
	// moved to their output queues: for each 64 KiB or one message being sent, and as much behind it. A negative bound
	// means none. Default 64 MiB.
	BacklogMemory int64
	// TakeoverMemory bounds the memory that all connections together keep between messages for ContextTakeover, in bytes.
	// Each connection counts with 4 KiB for compression and with 64 KiB for decompression, or less if a smaller window was
	// agreed on. When there is not enough left for one direction, new connections do without takeover in that direction.
	// Concurrent handshakes may exceed the bound by 64 KiB each. A negative bound means none. Default 256 MiB.
	TakeoverMemory int64

	mu     sync.Mutex
	engine *netconn.Engine // made for the first connection; it has no goroutine while it has no connections
	closed bool
	open   atomic.Int64 // number of connections

	limits            sync.Once // sets the limits of the budgets
	backlog, takeover budget.Budget

	lastConfig atomic.Pointer[connConfig] // of the most recent connection
}

// Len returns the number of connections.
func (g *Group) Len() int { return int(g.open.Load()) }

// GroupStats are the counters of a Group at one moment.
type GroupStats struct {
	Conns          int64 // open connections
	BacklogMemory  int64 // bytes in all backlogs; see Group.BacklogMemory
	TakeoverMemory int64 // bytes kept between messages; see Group.TakeoverMemory
}

// Stats returns the current counters.
func (g *Group) Stats() GroupStats {
	return GroupStats{Conns: g.open.Load(), BacklogMemory: g.backlog.Used(), TakeoverMemory: g.takeover.Used()}
}

// budgets returns the budgets for the backlogs and for takeover.
func (g *Group) budgets() (backlog, takeover *budget.Budget) {
	g.limits.Do(func() {
		g.backlog.SetLimit(noLimit(g.BacklogMemory, 64<<20, math.MaxInt64))
		g.takeover.SetLimit(noLimit(g.TakeoverMemory, 256<<20, math.MaxInt64))
	})
	return &g.backlog, &g.takeover
}

// All returns an iterator over the current connections. Some may be over by the time they are yielded.
func (g *Group) All() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		engine := g.currentEngine()
		if engine == nil {
			return
		}
		for _, l := range engine.Links() {
			if c := connOf(l); c != nil && c.send.announced.Load() && !yield(c) {
				return
			}
		}
	}
}

// connOf returns the Conn that l belongs to, or nil before it has begun.
func connOf(l *netconn.Link) *Conn {
	switch o := l.Owner().(type) {
	case *served:
		return o.c
	case *pulled:
		return (*Conn)(o)
	}
	return nil
}

// currentEngine returns the group's engine, or nil if there is none yet.
func (g *Group) currentEngine() *netconn.Engine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine
}

// start returns the engine for a new connection.
func (g *Group) start() (*netconn.Engine, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrGroupClosed
	}
	if g.engine == nil {
		g.engine = netconn.New(g.config())
	}
	return g.engine, nil
}

// config returns the configuration of the engine.
func (g *Group) config() netconn.Config {
	return netconn.Config{
		ReadBuffer: 16 << 10, IdleTimeout: -1, MessageTimeout: -1, MinReadRate: -1, FlushLate: true, Logger: g.Logger,
	}
}

// Shutdown sends every peer a close frame with CloseGoingAway, after everything sent before, and waits until all
// connections are over. If ctx is done first, it cuts off the remaining connections as CloseNow does and returns ctx's
// error. A nil error means that no connection was cut off. No connection can be opened in the Group afterwards.
func (g *Group) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.closed = true
	engine := g.engine
	g.mu.Unlock()
	if engine == nil {
		return nil
	}
	err := engine.Shutdown(ctx)
	if err == nil || g.cutOff(engine.Links()) == 0 {
		return nil
	}
	return err
}

// cutOff ends those of links that are not over or still have unsent output, and returns their number.
func (g *Group) cutOff(links []*netconn.Link) (n int) {
	var closing sync.WaitGroup
	for _, l := range links {
		c := connOf(l)
		switch {
		case c == nil || !c.send.announced.Load():
			l.Abort() // the response to the handshake has not been sent
		case !c.send.over.Load() || l.Unsent():
			n++
			closing.Go(func() {
				c.CloseNow()
				l.Quit() // also if c was over but its output was still being sent
			})
		}
	}
	closing.Wait()
	return n
}

// Broadcast sends m to all connections of the Group except those in except, and returns to how many. See the function
// Broadcast.
func (g *Group) Broadcast(m *PreparedMessage, except ...*Conn) int {
	return broadcast(g.All(), m, except)
}
