package httpclient

import (
	"slices"
	"time"
)

// done is called when c's turn is over: it is kept for others if it is fit for them.
func (pl *place) done(c *conn) {
	t := c.trace // from put on c is another's
	var why error
	switch {
	case c.last, pl.cl.cfg.KeepNone:
		why = errAsked
	case !c.Reusable():
		why = errUnfit
	case pl.cl.tooOld(c, c.moment()):
		why = errOld
	}
	if why == nil {
		why = pl.put(c)
	} else {
		pl.gone(c)
	}
	if t != nil && t.PutIdle != nil {
		t.PutIdle(why)
	}
}

// put gives c to who has waited longest, or puts it aside; or closes it, if there are enough. One whose reads end only with
// it is not kept: who waits on it while it is idle, for what must not come, could not be called away.
func (pl *place) put(c *conn) error {
	cl, wakes := pl.cl, c.Link().Wakes()
	pl.mu.Lock()
	if pl.handed(c) {
		pl.mu.Unlock()
		return nil
	}
	why := cl.unwanted(pl)
	if why == nil && !wakes {
		why = errUnfit
	}
	if why == nil {
		e := idle{c: c, since: cl.restingSince(c.moment())}
		if !c.Looks() {
			e.watch(e.since) // or what comes unasked would be the next response
		}
		pl.idle = append(pl.idle, e)
		cl.idle.Add(1)
	}
	pl.mu.Unlock()
	if why != nil {
		pl.gone(c)
		return why
	}
	cl.sweepSoon()
	if max := cl.cfg.MaxIdle; max > 0 && cl.idle.Load() > int64(max) {
		cl.closeOldest(false)
	}
	return nil
}

// restingSince is now, but later than for every connection before: the clock is coarse, and the oldest one ends first.
func (cl *Client) restingSince(now int64) int64 {
	for {
		last := cl.rested.Load()
		if now = max(now, last+1); cl.rested.CompareAndSwap(last, now) {
			return now
		}
	}
}

// handed gives c to who has waited longest, if anybody waits. The lock is held.
func (pl *place) handed(c *conn) bool {
	w := pl.next()
	if w == nil {
		return false
	}
	w.take(c)
	return true
}

// give gives c to w, for whom alone it was opened.
func (pl *place) give(w *waiter, c *conn) {
	pl.mu.Lock()
	waits := pl.remove(w)
	if waits {
		w.take(c)
	} else {
		pl.recount()
	}
	pl.mu.Unlock()
	if !waits {
		pl.gone(c)
	}
}

// take ends w's wait.
func (w *waiter) take(c *conn) {
	c.rested = 0
	w.conn = c
	close(w.ready)
}

// adopt takes in a connection that was opened elsewhere and is counted already: the server no longer speaks HTTP/2.
func (pl *place) adopt(c *conn) {
	pl.speaks.Store(1)
	pl.mu.Lock()
	pl.open++
	pl.mu.Unlock()
	pl.put(c)
}

// gone ends c, which is nobody's.
func (pl *place) gone(c *conn) {
	c.Close()
	pl.lost()
}

// lost says that a connection is no more: others may be opened.
func (pl *place) lost() {
	pl.mu.Lock()
	pl.open--
	pl.mu.Unlock()
	pl.cl.left()
	pl.mu.Lock()
	pl.more(false)
	pl.mu.Unlock()
}

// settle has those watched by the lot that have been idle for a while: until then they are likely to be used again at once,
// which the watch would make dearer. It reports whether there are others.
func (pl *place) settle() (rest bool) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	for i := range pl.idle {
		e := &pl.idle[i]
		now := e.c.moment()
		switch {
		case e.unwatch != nil:
		case now-e.since < int64(warm):
			rest = true
		default:
			e.watch(now)
		}
	}
	return rest
}

// watch has the connection dropped when something comes, or its time is over. The place's lock is held.
func (e *idle) watch(now int64) {
	c := e.c
	e.unwatch = c.Watch(c.place.cl.idleLeft(e.since, now), func() { c.place.drop(c) })
}

// warm is for how long an idle connection is not watched.
const warm = 50 * time.Millisecond

// drop ends an idle connection: its server has, or its time is over.
func (pl *place) drop(c *conn) {
	pl.mu.Lock()
	i := slices.IndexFunc(pl.idle, func(e idle) bool { return e.c == c })
	if i >= 0 {
		pl.idle = slices.Delete(pl.idle, i, i+1)
	}
	pl.mu.Unlock()
	if i >= 0 {
		pl.cl.idle.Add(-1)
		pl.gone(c)
	}
}

// closeIdle ends what is idle.
func (pl *place) closeIdle() {
	pl.mu.Lock()
	all := pl.idle
	pl.idle = nil
	pl.mu.Unlock()
	pl.cl.idle.Add(-int64(len(all)))
	for _, e := range all {
		e.end()
	}
}

// end ends the connection, which is not among the idle ones any more.
func (e *idle) end() {
	if e.unwatch != nil {
		e.unwatch()
	}
	e.c.place.gone(e.c)
}

// dropOldest ends the connection at the bottom, if there is one.
func (pl *place) dropOldest() bool {
	pl.mu.Lock()
	if len(pl.idle) == 0 {
		pl.mu.Unlock()
		return false
	}
	e := pl.idle[0]
	pl.idle = slices.Delete(pl.idle, 0, 1)
	pl.mu.Unlock()
	pl.cl.idle.Add(-1)
	e.end()
	return true
}

// oldest returns since when the connection at the bottom is idle, false if there is none.
func (pl *place) oldest() (since int64, ok bool) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	if len(pl.idle) == 0 {
		return 0, false
	}
	return pl.idle[0].since, true
}
