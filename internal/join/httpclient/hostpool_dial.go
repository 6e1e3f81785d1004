package httpclient

import (
	"context"
	"slices"

	"github.com/shockwave-go/shockwave/internal/join/h1client"
	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// recountLocked marks waiters as undialed again when there are fewer dials in progress than waiters that count on one. This
// happens for example when a dial fails: its waiter may have been served by another connection before, so that a waiter further back
// has lost its dial.
func (hp *hostPool) recountLocked() {
	for n := len(hp.waiting) - hp.undialed; n > hp.opening; n-- {
		hp.waiting[n-1].dialed = false
		hp.undialed++
	}
}

// removeLocked takes w out of the queue and reports whether it was there.
func (hp *hostPool) removeLocked(w *waiter) bool {
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

// dialMoreLocked opens a connection for each undialed waiter, as far as the limits allow. first is true when the pool has just
// been taken from the head of the client's queue of blocked pools.
func (hp *hostPool) dialMoreLocked(first bool) {
	cfg := &hp.all.cfg
	for hp.undialed > 0 {
		switch {
		case cfg.MaxConnsPerHost > 0 && hp.open >= cfg.MaxConnsPerHost:
			return
		case hp.opening > 0 && hp.mayBeH2():
			return // the connection being opened will tell which version the server speaks
		case !hp.all.room.reserve(hp, &hp.blocked, first):
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
	c, h2, err := hp.all.openFor(context.WithoutCancel(w.ctx), hp)
	if h2 != nil {
		hp.all.h2.Add(hp.key.h2(), h2)
	}
	var unwanted *h2client.Conn
	hp.mu.Lock()
	hp.opening--
	switch {
	case err != nil:
		hp.open--
		hp.dialFailedLocked(w, err)
	case c == nil:
		hp.open-- // the HTTP/2 pool counts it from now on
		hp.version.Store(2)
		if len(hp.waiting) == 0 && hp.all.noIdle.Load() {
			unwanted = h2
		}
		hp.serveH2Locked()
	default:
		hp.version.Store(1)
		hp.dialMoreLocked(false) // for the waiters that one connection of HTTP/2 would have served
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
		hp.all.room.connEnded()
	}
}

// dialFailedLocked delivers err to w, if it still waits; or to all waiters, if they counted on one connection of HTTP/2.
func (hp *hostPool) dialFailedLocked(w *waiter, err error) {
	if hp.mayBeH2() {
		hp.failWaitersLocked(err)
	} else if hp.removeLocked(w) {
		w.err = err
		close(w.ready)
	}
	hp.recountLocked()
	hp.dialMoreLocked(false)
}

// serveH2Locked sends all waiters to the HTTP/2 pool, up to the first one that wants the connection for itself.
func (hp *hostPool) serveH2Locked() {
	for w := hp.popWaiterLocked(); w != nil; w = hp.popWaiterLocked() {
		w.h2 = true
		close(w.ready)
		if w.exclusive {
			break
		}
	}
	hp.dialMoreLocked(false)
}

// popWaiterLocked takes the first waiter out of the queue; nil if there is none.
func (hp *hostPool) popWaiterLocked() *waiter {
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

// newConn returns a connection of hp on o, which speaks HTTP/1.1. ended, unless nil, is called when it has ended.
func (hp *hostPool) newConn(o *Opened, ended func()) (*conn, error) {
	c, ps := &conn{owner: hp, toProxy: o.ToProxy}, hp.all
	c.user, _ = o.Conn.(UserConn)
	var err error
	c.Conn, err = h1client.New(ps.engine, o.Conn, o.Buffered, &ps.cfg.HTTP1, o.TLS, func(*h1client.Conn) {
		hp.drop(c)
		if ended != nil {
			ended()
		}
	})
	if err != nil {
		return nil, err
	}
	c.born = c.moment()
	return c, nil
}
