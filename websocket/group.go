package websocket

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"

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
	// Logger logs panics of callbacks. It must be set before the first connection. Default: slog.Default().
	Logger *slog.Logger

	mu     sync.Mutex
	engine *netconn.Engine // made for the first connection; it has no goroutine while it has no connections
	closed bool
	open   atomic.Int64 // number of connections

	lastConfig atomic.Pointer[connConfig] // of the most recent connection
}

// Len returns the number of connections.
func (g *Group) Len() int { return int(g.open.Load()) }

// All returns an iterator over the current connections. Some may be over by the time they are yielded.
func (g *Group) All() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		engine := g.currentEngine()
		if engine == nil {
			return
		}
		for _, l := range engine.Links() {
			if c := connOf(l); c != nil && c.announced.Load() && !yield(c) {
				return
			}
		}
	}
}

// connOf returns the Conn that l belongs to, or nil before it has begun.
func connOf(l *netconn.Link) *Conn {
	switch o := l.Owner().(type) {
	case *callbacks:
		return (*Conn)(o)
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
		case c == nil || !c.announced.Load():
			l.Abort() // the handshake has not been answered
		case !c.over.Load() || l.Unsent():
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

// goAway sends a close frame after everything sent before, and makes sure that the peer's answer is read.
func (c *Conn) goAway() {
	if !c.announced.Load() {
		return
	}
	if frame, err := c.closeFrame(CloseGoingAway, ""); err == nil {
		c.postCloseLast(frame)
	}
	if c.pull != nil {
		go c.readToTheEnd()
	}
}
