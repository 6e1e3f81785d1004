package httpclient

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// place is what a Client has for one Key: its connections of HTTP/1.1, and who waits for one. Those of HTTP/2, which are
// shared, lie in the client's h2client.Pool.
type place struct {
	cl     *Client
	key    Key
	speaks atomic.Int32 // what the server chose last: 1 or 2; 0 is not known
	users  atomic.Int32 // calls of Client.place without release yet: prune keeps the place

	mu      sync.Mutex
	idle    []idle    // the last has been used last
	waiting []*waiter // those for whom a connection is being opened before the others
	open    int       // connections, with those that are being opened
	alone   int       // of those who wait how many have no connection opened for them
	opening int
	hungry  bool // it is in the client's row of places that wait for others' connections to end
}

// idle is a connection that nobody uses.
type idle struct {
	c       *conn
	since   int64       // moment
	unwatch func() bool // once it is watched
}

// waiter is who waits for a connection. What comes is one of the three.
type waiter struct {
	ctx    context.Context
	ready  chan struct{} // closed when there is something
	last   bool          // it is wanted for one request
	dialed bool          // a connection is being opened for it
	conn   *conn
	h2     bool // the server speaks HTTP/2: a stream is to be had
	err    error
}

// get returns a connection, which is the caller's until done or gone; or h2, if the server speaks HTTP/2. k is what it is for;
// it may be nil.
func (pl *place) get(ctx context.Context, k *Call) (c *conn, h2 bool, err error) {
	pl.mu.Lock()
	for n := len(pl.idle) - 1; n >= 0; n = len(pl.idle) - 1 {
		e := pl.idle[n]
		pl.idle[n] = idle{}
		pl.idle = pl.idle[:n]
		pl.mu.Unlock()
		pl.cl.idle.Add(-1)
		if c := e.take(); c != nil {
			pl.cl.stats.reused.Add(1)
			return c, false, nil
		}
		pl.gone(e.c)
		pl.mu.Lock()
	}
	if pl.speaks.Load() == 2 { // which somebody has found out meanwhile
		pl.mu.Unlock()
		return nil, true, nil
	}
	return pl.wait(ctx, k)
}

// wait is get of a connection that is not idle. The lock is held, and given back.
func (pl *place) wait(ctx context.Context, k *Call) (c *conn, h2 bool, err error) {
	if k != nil && k.Waits != nil {
		ctx = k.Waits(ctx)
	}
	w := &waiter{ctx: ctx, last: k != nil && k.Close, ready: make(chan struct{})}
	pl.waiting = append(pl.waiting, w)
	pl.alone++
	pl.more(false)
	pl.mu.Unlock()
	pl.cl.stats.waits.Add(1)
	select {
	case <-w.ready:
		if w.conn != nil && w.conn.Served() > 0 {
			pl.cl.stats.reused.Add(1)
		}
		return w.conn, w.h2, w.err
	case <-ctx.Done():
		err = context.Cause(ctx)
	case <-pl.cl.waited():
		err = ErrWaitTimeout
	}
	if !pl.quit(w) && w.conn != nil {
		pl.put(w.conn)
	}
	return nil, false, err
}

// waited returns a channel that says when a wait for a connection is over; nil is never.
func (cl *Client) waited() <-chan time.Time {
	if cl.cfg.WaitTimeout <= 0 {
		return nil
	}
	return time.After(cl.cfg.WaitTimeout)
}

// take returns the connection if it is fit for another request: it has not ended, nothing has come on it that nobody asked
// for, and it is not too old.
func (e *idle) take() *conn {
	c := e.c
	now := c.moment()
	if e.unwatch != nil && !e.unwatch() || c.place.cl.tooOld(c, now) || c.place.cl.tooLong(e.since, now) || !c.Fresh() {
		return nil
	}
	c.rested = time.Duration(max(now-e.since, 0)) // see restingSince
	return c
}

// quit has w wait no more, and reports whether nothing has come for it.
func (pl *place) quit(w *waiter) bool {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	return pl.remove(w)
}

// recount has those wait anew for a connection to be opened for whom none is: theirs was given to somebody before them, who
// was to have the one that has failed. The lock is held.
func (pl *place) recount() {
	for n := len(pl.waiting) - pl.alone; n > pl.opening; n-- {
		pl.waiting[n-1].dialed = false
		pl.alone++
	}
}

// remove takes w out of the queue, and reports whether it was there. The lock is held.
func (pl *place) remove(w *waiter) bool {
	i := slices.Index(pl.waiting, w)
	if i < 0 {
		return false
	}
	pl.waiting = slices.Delete(pl.waiting, i, i+1)
	if !w.dialed {
		pl.alone--
	}
	return true
}

// more opens connections for those who wait, one for each, as long as there may be more. turn: the client's other places
// have waited less for the first of them. The lock is held.
func (pl *place) more(turn bool) {
	cfg := &pl.cl.cfg
	for pl.alone > 0 {
		switch {
		case cfg.MaxConnsPerHost > 0 && pl.open >= cfg.MaxConnsPerHost:
			return
		case pl.opening > 0 && pl.mayBeH2():
			return // one tells for all what the server speaks
		case !pl.cl.permit(pl, turn):
			return
		}
		turn = false
		w := pl.waiting[len(pl.waiting)-pl.alone]
		w.dialed = true
		pl.alone--
		pl.open++
		pl.opening++
		go pl.dial(w)
	}
}

// mayBeH2 reports whether a connection that is being opened may be one for all.
func (pl *place) mayBeH2() bool {
	return pl.key.Version != HTTP1 && (pl.key.Version == HTTP2 || pl.key.Secure) && pl.speaks.Load() != 1
}

// dial opens a connection for w and gives it to who has waited longest.
func (pl *place) dial(w *waiter) {
	c, h2, err := pl.cl.openFor(context.WithoutCancel(w.ctx), pl)
	if h2 != nil {
		pl.cl.h2.Add(pl.key.h2(), h2)
	}
	var unwanted *h2client.Conn
	pl.mu.Lock()
	pl.opening--
	switch {
	case err != nil:
		pl.open--
		pl.fail(w, err)
	case c == nil:
		pl.open-- // from now on it is the other pool's
		pl.speaks.Store(2)
		if len(pl.waiting) == 0 && pl.cl.noIdle.Load() {
			unwanted = h2
		}
		pl.allH2()
	default:
		pl.speaks.Store(1)
		pl.more(false) // for those whom it would have served as well
	}
	pl.mu.Unlock()
	switch {
	case unwanted != nil:
		unwanted.CloseIfIdle()
	case c != nil && !w.last:
		pl.put(c)
	case c != nil:
		pl.give(w, c)
	case err != nil:
		pl.cl.left()
	}
}

// fail tells err w, if that still waits; or all, if the connection would have been one for all. The lock is held.
func (pl *place) fail(w *waiter, err error) {
	if pl.mayBeH2() {
		for w := pl.next(); w != nil; w = pl.next() {
			w.err = err
			close(w.ready)
		}
	} else if pl.remove(w) {
		w.err = err
		close(w.ready)
	}
	pl.recount()
	pl.more(false)
}

// allH2 sends all who wait to the connections of HTTP/2, up to one who wants the connection alone. The lock is held.
func (pl *place) allH2() {
	for w := pl.next(); w != nil; w = pl.next() {
		w.h2 = true
		close(w.ready)
		if w.last {
			break
		}
	}
	pl.more(false)
}

// next takes who has waited longest out of the queue. The lock is held.
func (pl *place) next() *waiter {
	if len(pl.waiting) == 0 {
		return nil
	}
	w := pl.waiting[0]
	pl.waiting[0] = nil
	if pl.waiting = pl.waiting[1:]; len(pl.waiting) == 0 {
		pl.waiting = nil
	}
	if !w.dialed {
		pl.alone--
	}
	return w
}
