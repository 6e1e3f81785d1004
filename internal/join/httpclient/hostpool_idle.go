package httpclient

import (
	"slices"
	"time"
)

// finished is called when c's exchange is over. It keeps c for other requests if it is reusable and fit for them, and
// closes it otherwise.
func (hp *hostPool) finished(c *conn, reusable bool) {
	t := c.trace // after put another request may use c
	var why error
	switch {
	case c.last, hp.all.cfg.KeepNone:
		why = errAsked
	case !reusable:
		why = errUnfit
	case hp.all.tooOld(c, c.moment()):
		why = errOld
	}
	if why == nil {
		why = hp.put(c)
	} else {
		hp.closeConn(c)
	}
	if t != nil && t.PutIdle != nil {
		t.PutIdle(why)
	}
}

// put delivers c to the first waiter, or else keeps it as idle, or closes it if it is not wanted. It returns why c was
// closed, or nil. A connection whose reads cannot be interrupted is not kept: while it is idle, a goroutine may wait in a
// read that only closing the connection would end.
func (hp *hostPool) put(c *conn) error {
	ps, wakes := hp.all, c.Link().Wakes() // which may ask a connection of the user's
	hp.mu.Lock()
	var why error
	var kept int64 // how many idle connections there are with c
	switch waits := len(hp.waiting) > 0; {
	case waits && !c.isNew() && !c.Fresh():
		why = errUnfit // what has arrived behind the response would be taken for the next one
	case waits:
		hp.popWaiterLocked().deliver(c)
		hp.mu.Unlock()
		return nil
	default:
		if why = ps.unwantedLocked(hp); why == nil && !wakes {
			why = errUnfit
		}
	}
	if why == nil {
		e := idle{c: c, since: ps.idleSince(c.moment())}
		if !c.Looks() {
			hp.watchLocked(&e, e.since) // unexpected bytes must not be taken for the next response
		}
		hp.idle = append(hp.idle, e)
		kept = ps.idle.Add(1)
	}
	hp.mu.Unlock()
	if why != nil {
		hp.closeConn(c)
		return why
	}
	ps.sweepSoon()
	if most := int64(ps.cfg.MaxIdle); most > 0 && kept > most { // the goroutine that exceeds it closes one, and no other does
		ps.closeOldest(false)
	}
	return nil
}

// giveTo delivers c to w, the only request that c was opened for. If w no longer waits c is closed.
func (hp *hostPool) giveTo(w *waiter, c *conn) {
	hp.mu.Lock()
	waits := hp.removeLocked(w)
	if waits {
		w.deliver(c)
	} else {
		hp.recountLocked()
	}
	hp.mu.Unlock()
	if !waits {
		hp.closeConn(c)
	}
}

// deliver ends w's wait with c.
func (w *waiter) deliver(c *conn) {
	c.Look, c.idleFor = false, 0
	w.conn = c
	close(w.ready)
}

// adopt adds a connection that the HTTP/2 pool has opened and Client.opened counts already: the server has chosen
// HTTP/1.1.
func (hp *hostPool) adopt(c *conn) {
	hp.version.Store(1)
	hp.mu.Lock()
	hp.open++
	hp.mu.Unlock()
	hp.put(c)
}

// closeConn closes c, which no request uses.
func (hp *hostPool) closeConn(c *conn) {
	c.Close()
	hp.connEnded()
}

// connEnded is called when a connection has ended: another one may be opened.
func (hp *hostPool) connEnded() {
	hp.mu.Lock()
	hp.open--
	hp.mu.Unlock()
	hp.all.room.connEnded()
	hp.mu.Lock()
	hp.dialMoreLocked(false)
	hp.mu.Unlock()
}

// watchIdle starts to watch the connections that have been idle for watchAfter. Before that a connection is likely to be
// reused soon, and watching it would cost more than it gains. rest reports whether there are idle connections left to
// watch later.
func (hp *hostPool) watchIdle() (rest bool) {
	hp.mu.Lock()
	defer hp.mu.Unlock()
	for i := range hp.idle {
		e := &hp.idle[i]
		now := e.c.moment()
		switch {
		case e.unwatch != nil:
		case now-e.since < int64(watchAfter):
			rest = true
		default:
			hp.watchLocked(e, now)
		}
	}
	return rest
}

// watchLocked lets the connection be dropped when bytes arrive, the server closes it, or it has been idle for too long.
func (hp *hostPool) watchLocked(e *idle, now int64) {
	c := e.c
	e.unwatch = c.Watch(hp.all.idleLeft(e.since, now), func() { hp.drop(c) })
}

// watchAfter is how long a connection is idle before it is watched.
const watchAfter = 50 * time.Millisecond

// drop closes an idle connection because the server has closed it or it has been idle for too long.
func (hp *hostPool) drop(c *conn) {
	hp.mu.Lock()
	i := slices.IndexFunc(hp.idle, func(e idle) bool { return e.c == c })
	if i >= 0 {
		hp.idle = slices.Delete(hp.idle, i, i+1)
	}
	hp.mu.Unlock()
	if i >= 0 {
		hp.all.idle.Add(-1)
		hp.closeConn(c)
	}
}

// closeIdle closes all idle connections.
func (hp *hostPool) closeIdle() {
	hp.mu.Lock()
	all := hp.idle
	hp.idle = nil
	hp.mu.Unlock()
	hp.all.idle.Add(-int64(len(all)))
	for i := range all {
		hp.endIdle(&all[i])
	}
}

// endIdle closes a connection that has been taken out of the pool.
func (hp *hostPool) endIdle(e *idle) {
	if e.unwatch != nil {
		e.unwatch()
	}
	hp.closeConn(e.c)
}

// dropOldest closes the connection that has been idle longest and reports whether there was one.
func (hp *hostPool) dropOldest() bool {
	hp.mu.Lock()
	if len(hp.idle) == 0 {
		hp.mu.Unlock()
		return false
	}
	e := hp.idle[0]
	hp.idle = slices.Delete(hp.idle, 0, 1)
	hp.mu.Unlock()
	hp.all.idle.Add(-1)
	hp.endIdle(&e)
	return true
}

// oldest returns since when the oldest idle connection has been idle; ok is false if there is none.
func (hp *hostPool) oldest() (since int64, ok bool) {
	hp.mu.Lock()
	defer hp.mu.Unlock()
	if len(hp.idle) == 0 {
		return 0, false
	}
	return hp.idle[0].since, true
}
