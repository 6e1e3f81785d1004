package httpclient

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// pools are the connections of a Client: those of HTTP/1.1 by their Key, and those of HTTP/2. Locks are taken in the order
// of a hostPool's mu before room's; mu is held together with another one only by
// pruneLocked, which does not wait for a hostPool.
type pools struct {
	cfg      Config
	engine   *netconn.Engine
	h2       h2client.Pool
	room     room         // for connections
	idle     atomic.Int64 // idle connections of HTTP/1.1
	closed   atomic.Bool
	life     context.Context    // until close
	end      context.CancelFunc // cancels life
	noIdle   atomic.Bool        // closeIdle was called, and no request has begun since: keep no idle connections
	sweepDue atomic.Bool        // sweep is going to run
	stats    counters

	lastIdleSince atomic.Int64 // what idleSince returned last

	mu    sync.RWMutex
	byKey map[Key]*hostPool

	warming chan struct{} // has room for one token, which Warm holds while it gathers connections under MaxConns
}

// counters are those of Stats that only grow.
type counters struct{ opened, reused, waits, retries atomic.Int64 }

// init prepares ps, except for its engine.
func (ps *pools) init(cfg Config) {
	// This package closes idle connections and bounds the time of requests itself.
	cfg.Engine.IdleTimeout, cfg.Engine.MessageTimeout, cfg.Engine.MinReadRate = -1, -1, -1
	cfg.HTTP2.IdleTimeout = cfg.IdleTimeout
	cfg.HTTP2 = cfg.HTTP2.Complete()
	if cfg.MaxConns > 0 {
		cfg.HTTP2.Idle = ps.idleH2
	}
	ps.cfg, ps.byKey, ps.warming = cfg, map[Key]*hostPool{}, make(chan struct{}, 1)
	ps.life, ps.end = context.WithCancel(context.Background())
	ps.room.most, ps.room.make = int64(cfg.MaxConns), ps.makeRoom
	ps.h2.Dial = ps.openH2
	ps.h2.MaxConns, ps.h2.Strict, ps.h2.WaitTimeout = cfg.MaxConnsPerHost, cfg.Strict, cfg.WaitTimeout
}

// find returns the pool for key, and makes one if there is none. The pool may have been pruned by the time it is used;
// see pruneLocked.
func (ps *pools) find(key Key) *hostPool {
	ps.mu.RLock()
	hp := ps.byKey[key]
	ps.mu.RUnlock()
	if hp != nil {
		return hp
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if hp = ps.byKey[key]; hp == nil {
		if n := len(ps.byKey); n >= manyPools && n&(n-1) == 0 {
			ps.pruneLocked()
		}
		key.Host, key.Via = strings.Clone(key.Host), strings.Clone(key.Via)
		hp = &hostPool{all: ps, key: key, warming: make(chan struct{}, 1)}
		if key.Version == HTTP2 {
			hp.version.Store(2)
		}
		ps.byKey[key] = hp
	}
	return hp
}

// manyPools is how many pools there must be before empty ones are pruned.
const manyPools = 1 << 10

// pruneLocked removes the pools that are empty.
//
// A call may have found a pool before. If it needs a connection of HTTP/1.1 it is told to look again, since a pruned pool
// takes no waiters, and keeps no connections. For a request over HTTP/2 it uses only the pool's key; but whether a further
// connection of HTTP/2 may be opened is asked of the pool that is in the map then (see openH2), and that one stays because
// Knows includes connections that are being opened.
func (ps *pools) pruneLocked() {
	for key, hp := range ps.byKey {
		if !hp.mu.TryLock() {
			continue // it is in use
		}
		if hp.open == 0 && len(hp.waiting) == 0 && !ps.h2.Knows(key.h2()) {
			hp.pruned = true
			delete(ps.byKey, key)
		}
		hp.mu.Unlock()
	}
}

// all returns a snapshot of the pools.
func (ps *pools) all() []*hostPool {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	all := make([]*hostPool, 0, len(ps.byKey))
	for _, hp := range ps.byKey {
		all = append(all, hp)
	}
	return all
}

// closeIdle closes the connections that have no requests.
func (ps *pools) closeIdle() {
	ps.noIdle.Store(true)
	for _, hp := range ps.all() {
		hp.closeIdle()
	}
	ps.h2.CloseIdle()
}

// clearNoIdle ends the effect of closeIdle. It is called when a request begins.
func (ps *pools) clearNoIdle() {
	if ps.noIdle.Load() {
		ps.noIdle.Store(false)
	}
}

// close closes all connections, and reports whether it is the first call. Requests that wait fail.
func (ps *pools) close() bool {
	if ps.closed.Swap(true) {
		return false
	}
	ps.end()
	for _, hp := range ps.all() {
		hp.closeIdle()
		hp.failWaiters(ErrClosed)
	}
	ps.h2.Close()
	return true
}
