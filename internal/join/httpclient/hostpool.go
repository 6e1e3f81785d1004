package httpclient

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// hostPool holds a Client's connections of HTTP/1.1 for one Key, and the requests that wait for one. Connections of HTTP/2
// are shared; they are in the client's h2client.Pool.
type hostPool struct {
	all     *pools
	key     Key
	version atomic.Int32  // the version that the server chose last: 1, 2, or 0 if it is not known
	warming chan struct{} // as pools.warming, for MaxConnsPerHost

	mu       sync.Mutex
	idle     []idle    // idle connections; the one used last is at the end
	waiting  []*waiter // waiters in order of arrival; those with a dial in progress come before the undialed ones
	open     int       // connections, including those being opened
	undialed int       // how many waiters have no connection being opened for them
	opening  int       // dials in progress
	blocked  bool      // the pool is in the queue of pools.room: MaxConns keeps it from opening a connection
	pruned   bool      // pruneLocked has removed the pool: it takes no waiters and keeps no connections
}

// idle is an idle connection.
type idle struct {
	c       *conn
	since   int64       // since when it has been idle, by conn.moment
	unwatch func() bool // ends the watch; nil if the connection is not watched yet
}

// wish is what a request needs of a connection. The zero wish is for a connection that is opened before requests come.
type wish struct {
	exclusive bool                                      // the connection will be used for this request only
	bound     func(ctx context.Context) context.Context // returns the context for a wait; may be nil
}

// waiter is a request that waits for a connection. It gets one of conn, h2 and err.
type waiter struct {
	ctx       context.Context
	ready     chan struct{} // closed when one of conn, h2 and err is set
	exclusive bool          // the connection will be used for this request only
	dialed    bool          // a connection is being opened for it
	conn      *conn
	h2        bool // the server speaks HTTP/2: a stream is available
	err       error
}

// get returns a connection, which the caller owns until it calls finished, put or closeConn; or h2, if the server speaks
// HTTP/2. get fails with errLookAgain if the pool was pruned.
func (hp *hostPool) get(ctx context.Context, want wish) (c *conn, h2 bool, err error) {
	hp.mu.Lock()
	for n := len(hp.idle) - 1; n >= 0; n = len(hp.idle) - 1 {
		e := hp.idle[n]
		hp.idle[n] = idle{}
		hp.idle = hp.idle[:n]
		hp.mu.Unlock()
		hp.all.idle.Add(-1)
		if c := hp.take(&e); c != nil {
			return c, false, nil
		}
		hp.closeConn(e.c)
		hp.mu.Lock()
	}
	if hp.version.Load() == 2 { // another request has learnt that meanwhile
		hp.mu.Unlock()
		return nil, true, nil
	}
	return hp.waitLocked(ctx, want)
}

// waitLocked waits for a connection that is returned by another request or opened. It fails with errLookAgain if the pool was
// pruned. It releases mu.
func (hp *hostPool) waitLocked(ctx context.Context, want wish) (c *conn, h2 bool, err error) {
	if hp.pruned {
		hp.mu.Unlock()
		return nil, false, errLookAgain
	}
	if want.bound != nil {
		ctx = want.bound(ctx)
	}
	w := &waiter{ctx: ctx, exclusive: want.exclusive, ready: make(chan struct{})}
	hp.waiting = append(hp.waiting, w)
	hp.undialed++
	hp.dialMoreLocked(false)
	hp.mu.Unlock()
	hp.all.stats.waits.Add(1)
	select {
	case <-w.ready:
		return w.conn, w.h2, w.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-hp.all.waitTimer():
		err = ErrWaitTimeout
	}
	if !hp.stopWaiting(w) && w.conn != nil {
		hp.put(w.conn)
	}
	return nil, false, err
}

// take returns the connection if it is neither too old nor idle for too long, and its watch has seen nothing. Otherwise it
// returns nil. The connection may have ended nevertheless, as Begin will find.
func (hp *hostPool) take(e *idle) *conn {
	c := e.c
	now := c.moment()
	if e.unwatch != nil && !e.unwatch() || hp.all.tooOld(c, now) || hp.all.idleTooLong(e.since, now) {
		return nil
	}
	c.Look = true
	c.idleFor = time.Duration(max(now-e.since, 0)) // idleSince may be ahead of the clock
	return c
}

// stopWaiting takes w out of the queue. It reports whether w was still there, so that nothing has been delivered to it.
func (hp *hostPool) stopWaiting(w *waiter) bool {
	hp.mu.Lock()
	defer hp.mu.Unlock()
	return hp.removeLocked(w)
}

// roomFree implements blockedPool.
func (hp *hostPool) roomFree() {
	hp.mu.Lock()
	hp.blocked = false
	hp.dialMoreLocked(true)
	hp.mu.Unlock()
}

// failWaiters ends all waits with err.
func (hp *hostPool) failWaiters(err error) {
	hp.mu.Lock()
	hp.failWaitersLocked(err)
	hp.mu.Unlock()
}

// failWaitersLocked is failWaiters.
func (hp *hostPool) failWaitersLocked(err error) {
	for w := hp.popWaiterLocked(); w != nil; w = hp.popWaiterLocked() {
		w.err = err
		close(w.ready)
	}
}

// hasIdle reports whether a request can begin on a connection of TCP that is there.
func (hp *hostPool) hasIdle() bool {
	if hp.version.Load() == 2 {
		return hp.all.h2.Has(hp.key.h2())
	}
	hp.mu.Lock()
	defer hp.mu.Unlock()
	return len(hp.idle) > 0
}
