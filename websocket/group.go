package websocket

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// ErrGroupClosed means that a connection cannot begin because its Group has been shut down.
var ErrGroupClosed = errors.New("websocket: the group has been shut down")

// DefaultGroup is the Group of connections whose Config names none.
var DefaultGroup = new(Group)

// Group is a set of connections: those of a server, or of a room. They can be told things together, and end together.
// The zero Group is ready; it must not be copied. All methods may be called concurrently.
type Group struct {
	// Logger is told of callbacks that panic. Set it before the first connection. Default: silent.
	Logger *slog.Logger

	mu      sync.Mutex
	engine  *netconn.Engine // made by the first connection, ended some time after the last one
	first   *Conn           // all connections, a list through prev and next
	count   int
	over    bool
	changed *sync.Cond  // count has become 0
	watch   *time.Timer // looks for silent peers, and ends an engine that is not needed
	every   time.Duration
}

// Len returns how many connections there are.
func (g *Group) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.count
}

// All returns an iterator over the connections of this moment. Some of them may be over when their turn comes.
func (g *Group) All() iter.Seq[*Conn] {
	return func(yield func(*Conn) bool) {
		for _, c := range g.conns() {
			if !yield(c) {
				return
			}
		}
	}
}

func (g *Group) conns() []*Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := make([]*Conn, 0, g.count)
	for c := g.first; c != nil; c = c.next {
		all = append(all, c)
	}
	return all
}

// start returns the engine for another connection.
func (g *Group) start() (*netconn.Engine, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return nil, ErrGroupClosed
	}
	if g.engine == nil {
		g.engine = netconn.New(netconn.Config{
			ReadBuffer: 16 << 10, IdleTimeout: -1, MessageTimeout: -1, MinReadRate: -1, FlushLate: true,
			Logger: g.Logger,
		})
	}
	return g.engine, nil
}

// add puts c on the list. It returns false when the group has been shut down meanwhile.
func (g *Group) add(c *Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.over {
		return false
	}
	if c.next = g.first; c.next != nil {
		c.next.prev = c
	}
	g.first = c
	g.count++
	if every := c.set.pingInterval / 2; every > 0 && (g.every == 0 || every < g.every) {
		g.every = every
		g.watchAfter(every)
	}
	return true
}

func (g *Group) remove(c *Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.next != nil {
		c.next.prev = c.prev
	}
	switch {
	case c.prev != nil:
		c.prev.next = c.next
	case g.first == c:
		g.first = c.next
	default:
		return // it never was on the list
	}
	c.prev, c.next = nil, nil
	if g.count--; g.count > 0 {
		return
	}
	if g.changed != nil {
		g.changed.Broadcast()
	}
	g.every = 0
	if !g.over {
		g.watchAfter(engineRest)
	}
}

// engineRest is how long an engine without connections stays: as long as one that ends may linger, and longer.
const engineRest = 2 * time.Second

// watchAfter has look called; g.mu is held.
func (g *Group) watchAfter(d time.Duration) {
	if g.watch == nil {
		g.watch = time.AfterFunc(d, g.look)
		return
	}
	g.watch.Reset(d)
}

// look asks silent peers for a sign of life, ends those that gave none, and ends an engine without connections.
func (g *Group) look() {
	g.mu.Lock()
	switch {
	case g.count == 0 && g.engine != nil && g.engine.Stats().Open == 0:
		g.engine.Close()
		g.engine = nil
	case g.count == 0 && g.engine != nil:
		g.watchAfter(engineRest)
	case g.every > 0:
		g.watchAfter(g.every)
	}
	g.mu.Unlock()
	for c := range g.All() {
		c.checkLife()
	}
}

// Shutdown tells every peer that this end goes away (1001) and waits until all connections are over, or ctx ends: then
// the others are cut off and it returns ctx's error. No connection can begin afterwards.
func (g *Group) Shutdown(ctx context.Context) error {
	g.mu.Lock()
	g.over = true
	if g.changed == nil {
		g.changed = sync.NewCond(&g.mu)
	}
	g.mu.Unlock()
	for _, c := range g.conns() {
		c.goAway(ctx)
	}
	stop := context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.changed.Broadcast()
	})
	defer stop()
	g.mu.Lock()
	for g.count > 0 && ctx.Err() == nil {
		g.changed.Wait()
	}
	g.mu.Unlock()
	left := g.conns()
	for _, c := range left {
		c.CloseNow()
	}
	g.mu.Lock()
	engine := g.engine
	if g.watch != nil {
		g.watch.Stop()
	}
	g.mu.Unlock()
	if engine != nil {
		engine.Shutdown(ctx) // what still lingers
	}
	if len(left) > 0 {
		return ctx.Err()
	}
	return nil
}

// goAway tells the peer, unless it has not taken what was sent before, and sees to it that its answer is read.
func (c *Conn) goAway(ctx context.Context) {
	c.postClose(CloseGoingAway, "")
	if c.set.onMessage != nil {
		return
	}
	go func() {
		stop := context.AfterFunc(ctx, c.t.Abort)
		defer stop()
		c.readToTheEnd()
	}()
}
