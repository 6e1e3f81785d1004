package httpclient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// hostPool holds a Client's connections of HTTP/1.1 for one Key, and the requests that wait for one. Connections of HTTP/2
// are shared; they are in the client's h2client.Pool.
type hostPool struct {
	cl      *Client
	key     Key
	version atomic.Int32  // the version that the server chose last: 1, 2, or 0 if it is not known
	warming chan struct{} // as Client.warming, for MaxConnsPerHost

	mu       sync.Mutex
	idle     []idle    // idle connections; the one used last is at the end
	waiting  []*waiter // waiters in order of arrival; those with a dial in progress come before the undialed ones
	open     int       // connections, including those being opened
	undialed int       // how many waiters have no connection being opened for them
	opening  int       // dials in progress
	blocked  bool      // the pool is in Client.blocked: MaxConns keeps it from opening a connection
	pruned   bool      // prunePools has removed the pool: it takes no waiters and keeps no connections
}

// idle is an idle connection.
type idle struct {
	c       *conn
	since   int64       // since when it has been idle, by conn.moment
	unwatch func() bool // ends the watch; nil if the connection is not watched yet
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
// HTTP/2. k is the request that needs the connection; it may be nil. get fails with errLookAgain if the pool was pruned.
func (hp *hostPool) get(ctx context.Context, k *Call) (c *conn, h2 bool, err error) {
	hp.mu.Lock()
	for n := len(hp.idle) - 1; n >= 0; n = len(hp.idle) - 1 {
		e := hp.idle[n]
		hp.idle[n] = idle{}
		hp.idle = hp.idle[:n]
		hp.mu.Unlock()
		hp.cl.idle.Add(-1)
		if c := e.take(); c != nil {
			return c, false, nil
		}
		hp.closeConn(e.c)
		hp.mu.Lock()
	}
	if hp.version.Load() == 2 { // another request has learnt that meanwhile
		hp.mu.Unlock()
		return nil, true, nil
	}
	return hp.wait(ctx, k)
}

// wait waits for a connection that is returned by another request or opened. It fails with errLookAgain if the pool was
// pruned. The caller must hold mu; wait releases it.
func (hp *hostPool) wait(ctx context.Context, k *Call) (c *conn, h2 bool, err error) {
	if hp.pruned {
		hp.mu.Unlock()
		return nil, false, errLookAgain
	}
	if k != nil && k.WaitContext != nil {
		ctx = k.WaitContext(ctx)
	}
	w := &waiter{ctx: ctx, exclusive: k != nil && k.Close, ready: make(chan struct{})}
	hp.waiting = append(hp.waiting, w)
	hp.undialed++
	hp.dialMore(false)
	hp.mu.Unlock()
	hp.cl.stats.waits.Add(1)
	select {
	case <-w.ready:
		return w.conn, w.h2, w.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-hp.cl.waitTimer():
		err = ErrWaitTimeout
	}
	if !hp.stopWaiting(w) && w.conn != nil {
		hp.put(w.conn)
	}
	return nil, false, err
}

// waitTimer returns a channel on which WaitTimeout ends; nil if there is none.
func (cl *Client) waitTimer() <-chan time.Time {
	if cl.cfg.WaitTimeout <= 0 {
		return nil
	}
	return time.After(cl.cfg.WaitTimeout)
}

// take returns the connection if it is neither too old nor idle for too long, and its watch has seen nothing. Otherwise it
// returns nil. The connection may have ended nevertheless, as Begin will find.
func (e *idle) take() *conn {
	c := e.c
	now := c.moment()
	if e.unwatch != nil && !e.unwatch() || c.pool.cl.tooOld(c, now) || c.pool.cl.idleTooLong(e.since, now) {
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
	return hp.remove(w)
}

// recount marks waiters as undialed again when there are fewer dials in progress than waiters that count on one. This
// happens for example when a dial fails: its waiter may have been served by another connection before, so that a waiter further back
// has lost its dial. The caller must hold mu.
func (hp *hostPool) recount() {
	for n := len(hp.waiting) - hp.undialed; n > hp.opening; n-- {
		hp.waiting[n-1].dialed = false
		hp.undialed++
	}
}

// remove takes w out of the queue and reports whether it was there. The caller must hold mu.
func (hp *hostPool) remove(w *waiter) bool {
	i := slices.Index(hp.waiting, w)
	if i < 0 {
		return false
	}
	hp.waiting = slices.Delete(hp.waiting, i, i+1)
	if !w.dialed {
		hp.undialed--
	}
	return true
}

// dialMore opens a connection for each undialed waiter, as far as the limits allow. first is true when the pool has just
// been taken from the head of the client's queue of blocked pools. The caller must hold mu.
func (hp *hostPool) dialMore(first bool) {
	cfg := &hp.cl.cfg
	for hp.undialed > 0 {
		switch {
		case cfg.MaxConnsPerHost > 0 && hp.open >= cfg.MaxConnsPerHost:
			return
		case hp.opening > 0 && hp.mayBeH2():
			return // the connection being opened will tell which version the server speaks
		case !hp.cl.reserve(hp, first):
			return
		}
		first = false
		w := hp.waiting[len(hp.waiting)-hp.undialed]
		w.dialed = true
		hp.undialed--
		hp.open++
		hp.opening++
		go hp.dial(w)
	}
}

// mayBeH2 reports whether a connection that is being opened may turn out to be one of HTTP/2, which serves all waiters.
func (hp *hostPool) mayBeH2() bool {
	return hp.key.Version != HTTP1 && (hp.key.Version == HTTP2 || hp.key.Secure) && hp.version.Load() != 1
}

// dial opens a connection because of w, and delivers it to the first waiter; to w itself if w wants it for one request
// only.
func (hp *hostPool) dial(w *waiter) {
	c, h2, err := hp.cl.openFor(context.WithoutCancel(w.ctx), hp)
	if h2 != nil {
		hp.cl.h2.Add(hp.key.h2(), h2)
	}
	var unwanted *h2client.Conn
	hp.mu.Lock()
	hp.opening--
	switch {
	case err != nil:
		hp.open--
		hp.dialFailed(w, err)
	case c == nil:
		hp.open-- // the HTTP/2 pool counts it from now on
		hp.version.Store(2)
		if len(hp.waiting) == 0 && hp.cl.noIdle.Load() {
			unwanted = h2
		}
		hp.serveH2()
	default:
		hp.version.Store(1)
		hp.dialMore(false) // for the waiters that one connection of HTTP/2 would have served
	}
	hp.mu.Unlock()
	switch {
	case unwanted != nil:
		unwanted.CloseIfIdle()
	case c != nil && !w.exclusive:
		hp.put(c)
	case c != nil:
		hp.giveTo(w, c)
	case err != nil:
		hp.cl.connEnded()
	}
}

// dialFailed delivers err to w, if it still waits; or to all waiters, if they counted on one connection of HTTP/2. The
// caller must hold mu.
func (hp *hostPool) dialFailed(w *waiter, err error) {
	if hp.mayBeH2() {
		for w := hp.popWaiter(); w != nil; w = hp.popWaiter() {
			w.err = err
			close(w.ready)
		}
	} else if hp.remove(w) {
		w.err = err
		close(w.ready)
	}
	hp.recount()
	hp.dialMore(false)
}

// serveH2 sends all waiters to the HTTP/2 pool, up to the first one that wants the connection for itself. The caller must
// hold mu.
func (hp *hostPool) serveH2() {
	for w := hp.popWaiter(); w != nil; w = hp.popWaiter() {
		w.h2 = true
		close(w.ready)
		if w.exclusive {
			break
		}
	}
	hp.dialMore(false)
}

// popWaiter takes the first waiter out of the queue; nil if there is none. The caller must hold mu.
func (hp *hostPool) popWaiter() *waiter {
	if len(hp.waiting) == 0 {
		return nil
	}
	w := hp.waiting[0]
	hp.waiting[0] = nil
	if hp.waiting = hp.waiting[1:]; len(hp.waiting) == 0 {
		hp.waiting = nil
	}
	if !w.dialed {
		hp.undialed--
	}
	return w
}
