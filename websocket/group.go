package websocket

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// ErrGroupClosed means that a connection cannot begin because its Group has been shut down.
var ErrGroupClosed = errors.New("websocket: the group has been shut down")

// DefaultGroup is the Group of connections whose Config names none.
var DefaultGroup = new(Group)

// Group is a set of connections that end together: those of a server. Each connection is in one, for good; those that are
// told the same things for a while are a Room. The zero Group is ready; it must not be copied. All methods may be called
// concurrently.
type Group struct {
	// Logger is told of callbacks that panic. Set it before the first connection. Default: slog's default.
	Logger *slog.Logger

	mu     sync.Mutex
	engine *netconn.Engine // made by the first connection; it keeps no goroutine without one
	over   bool
	open   atomic.Int64 // connections

	conduct atomic.Pointer[conduct] // of the connection that came last
}

// Len returns how many connections there are.
func (g *Group) Len() int { return int(g.open.Load()) }

// All returns an iterator over the connections of this moment. Some of them may be over when their turn comes.
func (g *Group) All() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		engine := g.running()
		if engine == nil {
			return
		}
		for _, l := range engine.Links() {
			if c := memberOf(l); c != nil && c.announced.Load() && !yield(c) {
				return
			}
		}
	}
}

// memberOf returns the Conn that l belongs to, nil before it has begun.
func memberOf(l *netconn.Link) *Conn {
	switch o := l.Owner().(type) {
	case *callbacks:
		return (*Conn)(o)
	case *pulled:
		return (*Conn)(o)
	}
	return nil
}

// running returns the group's engine, nil if there is none yet.
func (g *Group) running() *netconn.Engine {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine
}

// start returns the engine for another connection.
func (g *Group) start() (*netconn.Engine, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return nil, ErrGroupClosed
	}
	if g.engine == nil {
		g.engine = netconn.New(g.config())
	}
	return g.engine, nil
}

// config is what the engine is made with.
func (g *Group) config() netconn.Config {
	return netconn.Config{
		ReadBuffer: 16 << 10, IdleTimeout: -1, MessageTimeout: -1, MinReadRate: -1, FlushLate: true, Logger: g.Logger,
	}
}

// Shutdown tells every peer that this end goes away (1001), behind what was sent before, and waits until all connections
// are over, or ctx ends: then the others are cut off, as CloseNow does it, and it returns ctx's error. nil means that
// nothing was cut. No connection can begin afterwards.
func (g *Group) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.over = true
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

// cutOff ends those of links that are not over, and returns how many they were. What only lingers has been told all.
func (g *Group) cutOff(links []*netconn.Link) (n int) {
	var closing sync.WaitGroup
	for _, l := range links {
		c := memberOf(l)
		switch {
		case c == nil || !c.announced.Load():
			l.Abort() // its handshake is not answered
		case !c.over.Load() || l.Unsent():
			n++
			closing.Go(func() {
				c.CloseNow()
				l.Quit() // also if it was over, and what it had to say was still being sent
			})
		}
	}
	closing.Wait()
	return n
}

// goAway tells the peer, behind what was sent before, and sees to it that its answer is read.
func (c *Conn) goAway() {
	if !c.announced.Load() {
		return
	}
	if frame, err := c.closeFrame(CloseGoingAway, ""); err == nil {
		c.postLast(frame)
	}
	if c.pull != nil {
		go c.readToTheEnd()
	}
}
