package netconn

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Engine runs the connections of any number of listeners. All methods may be called concurrently.
type Engine struct {
	cfg      Config
	clock    *clock
	stats    counters
	draining atomic.Bool
	patience int64       // see Config.patience
	unpolled atomic.Bool // somebody who pulls waits, and the poller has perhaps not been asked since

	handshakers handshakers

	mu        sync.Mutex
	listeners map[*net.Listener]bool // by address: a listener need not be comparable; true: closed
	first     *Conn                  // all connections, a list through prev and next
	count     int                    // of the list
	changed   *sync.Cond             // count has become smaller, or the engine ends
	lot       *lot                   // made by the first connection that needs it
	takers    int                    // taken over inside the latch: they wait through the lot until it has been left
}

// New returns an engine with no listener.
func New(cfg Config) *Engine {
	e := &Engine{cfg: cfg.withDefaults(), clock: newClock(), handshakers: newHandshakers(), listeners: map[*net.Listener]bool{}}
	e.patience = e.cfg.patience()
	e.changed = sync.NewCond(&e.mu)
	return e
}

// Now is the time, at most a tick (5 ms) behind.
func (e *Engine) Now() time.Time {
	now := e.clock.time()
	return time.Unix(0, now+e.clock.wall.Load())
}

// Shutdown stops accepting, ends the connections that are idle, lets the others finish what they do (Draining is true
// for them) and waits for them until ctx ends, when it returns ctx's error.
func (e *Engine) Shutdown(ctx context.Context) error {
	e.stopAccepting()
	for _, c := range e.conns() {
		c.kick()
	}
	stop := context.AfterFunc(ctx, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.changed.Broadcast()
	})
	defer stop()
	e.mu.Lock()
	for e.count > 0 && ctx.Err() == nil {
		e.changed.Wait()
	}
	left := e.count
	e.mu.Unlock()
	if left > 0 {
		return ctx.Err()
	}
	return nil
}

// Close stops accepting and ends every connection now. It does not wait for what Data does.
func (e *Engine) Close() error {
	e.stopAccepting()
	for _, c := range e.conns() {
		c.Abort()
	}
	return nil
}

// stopAccepting sets draining and closes the listeners, each once.
func (e *Engine) stopAccepting() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.draining.Store(true)
	for l, closed := range e.listeners {
		if !closed {
			e.listeners[l] = true
			(*l).Close()
		}
	}
	e.handshakers.finish()
	e.stopClockIfUnused()
	e.changed.Broadcast()
}

// stopClockIfUnused ends the clock's goroutine when the last connection has ended and no other will come. e.mu is held.
func (e *Engine) stopClockIfUnused() {
	if e.count == 0 && e.draining.Load() {
		e.clock.finish()
	}
}

// closeLotIfUnused ends the lot's goroutine when there is nobody left who could need it. e.mu is held.
func (e *Engine) closeLotIfUnused() {
	if e.lot != nil && e.unused() {
		e.lot.close()
		e.lot = nil
	}
}

// unused tells whether nobody is left who could need the lot. e.mu is held.
func (e *Engine) unused() bool { return e.count == 0 && e.takers == 0 && len(e.listeners) == 0 }

// keepLot counts who needs the lot without being on the list.
func (e *Engine) keepLot(change int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.takers += change
	e.closeLotIfUnused()
}

// conns returns the connections of this moment.
func (e *Engine) conns() []*Conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*Conn, 0, e.count)
	for c := e.first; c != nil; c = c.next {
		all = append(all, c)
	}
	return all
}

// add puts c on the list; it reports false when the engine ends.
func (e *Engine) add(c *Conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.draining.Load() {
		return false
	}
	if c.next = e.first; c.next != nil {
		c.next.prev = c
	}
	e.first = c
	e.count++
	e.stats.open.Add(1)
	return true
}

// remove takes c from the list.
func (e *Engine) remove(c *Conn) {
	e.clock.disarm(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	if c.prev != nil {
		c.prev.next = c.next
	} else {
		e.first = c.next
	}
	if c.next != nil {
		c.next.prev = c.prev
	}
	c.prev, c.next = nil, nil
	e.count--
	e.stats.open.Add(-1)
	e.stopClockIfUnused()
	e.changed.Broadcast()
	e.closeLotIfUnused()
}
