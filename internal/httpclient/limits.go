package httpclient

import (
	"errors"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// Why a connection is not kept.
var (
	errAsked  = errors.New("http: the request or the client asked for that")
	errUnfit  = errors.New("http: the response, or the server, ends the connection")
	errOld    = errors.New("http: the connection is too old")
	errEnough = errors.New("http: enough connections are idle")
	errWanted = errors.New("http: requests to other hosts wait for connections")
)

// permit allows another connection; or notes that pl waits until there may be one. Places that wait already come first,
// unless it is pl's turn. pl's lock is held.
func (cl *Client) permit(pl *place, turn bool) bool {
	most := int64(cl.cfg.MaxConns)
	if most <= 0 {
		cl.opened.Add(1)
		return true
	}
	cl.row.Lock()
	defer cl.row.Unlock()
	if (turn || len(cl.hungry) == 0) && cl.opened.Load() < most {
		cl.opened.Add(1)
		return true
	}
	if !pl.hungry {
		pl.hungry = true
		cl.hungry = append(cl.hungry, pl)
		go cl.makeRoom()
	}
	return false
}

// makeRoom ends the connection that has been idle longest, and has who waits look again.
func (cl *Client) makeRoom() {
	if !cl.closeOldest(true) {
		cl.feed() // one may have ended between the look and the wait
	}
}

// left is told that a connection is no more.
func (cl *Client) left() {
	cl.opened.Add(-1)
	cl.feed()
}

// feed has places look again while there is room, the one first that has waited longest. What it waited for may have come
// another way: then it is the next one's turn.
func (cl *Client) feed() {
	for {
		pl := cl.hungriest()
		if pl == nil {
			return
		}
		pl.mu.Lock()
		pl.hungry = false
		pl.more(true)
		pl.mu.Unlock()
	}
}

// hungriest takes the place out of the row that has waited longest, if there is room.
func (cl *Client) hungriest() *place {
	if cl.cfg.MaxConns <= 0 {
		return nil
	}
	cl.row.Lock()
	defer cl.row.Unlock()
	if len(cl.hungry) == 0 || cl.opened.Load() >= int64(cl.cfg.MaxConns) {
		return nil
	}
	pl := cl.hungry[0]
	cl.hungry = slices.Delete(cl.hungry, 0, 1)
	return pl
}

// starving reports whether some place waits for connections of others.
func (cl *Client) starving() bool {
	if cl.cfg.MaxConns <= 0 {
		return false
	}
	cl.row.Lock()
	defer cl.row.Unlock()
	return len(cl.hungry) > 0
}

// unwanted returns why another idle connection to pl is not wanted. pl's lock is held.
func (cl *Client) unwanted(pl *place) error {
	switch most := cl.cfg.MaxIdlePerHost; {
	case cl.closed.Load():
		return ErrClosed
	case cl.cfg.KeepNone, cl.noIdle.Load():
		return errAsked
	case most > 0 && len(pl.idle) >= most:
		return errEnough
	case cl.starving():
		return errWanted
	}
	return nil
}

// closeOldest ends the connection that has been idle longest, if there is one; of HTTP/2 only if that counts.
func (cl *Client) closeOldest(both bool) bool {
	for range 3 { // somebody else may take it meanwhile
		oldest, since := cl.oldest()
		var shared *h2client.Conn
		var at int64
		if both {
			shared, at = cl.h2.Oldest()
		}
		switch {
		case shared != nil && (oldest == nil || at < since):
			if shared.CloseIfIdle() {
				return true
			}
		case oldest == nil:
			return false
		case oldest.dropOldest():
			return true
		}
	}
	return false
}

// oldest returns the place with the connection of HTTP/1.1 that has been idle longest, and since when; nil if there is none.
func (cl *Client) oldest() (oldest *place, since int64) {
	for _, pl := range cl.all() {
		if at, ok := pl.oldest(); ok && (oldest == nil || at < since) {
			oldest, since = pl, at
		}
	}
	return oldest, since
}

// idleH2 is told of a connection of HTTP/2 that has no requests any more: others may wait for its end.
func (cl *Client) idleH2(c *h2client.Conn) {
	if cl.starving() {
		go c.CloseIfIdle()
	}
}

// tooOld reports whether c takes no more requests.
func (cl *Client) tooOld(c *conn, now int64) bool {
	return cl.cfg.MaxLifetime > 0 && now-c.born >= int64(cl.cfg.MaxLifetime)
}

// idleLeft returns how much longer a connection may be idle; 0 is for ever.
func (cl *Client) idleLeft(since, now int64) time.Duration {
	if cl.cfg.IdleTimeout <= 0 {
		return 0
	}
	return max(cl.cfg.IdleTimeout-time.Duration(now-since), 1)
}

// tooLong reports whether a connection has been idle for too long.
func (cl *Client) tooLong(since, now int64) bool {
	return cl.cfg.IdleTimeout > 0 && now-since >= int64(cl.cfg.IdleTimeout)
}

// sweepSoon has idle connections be watched when they have been idle for a while.
func (cl *Client) sweepSoon() {
	if !cl.sweeps.Load() && cl.sweeps.CompareAndSwap(false, true) {
		time.AfterFunc(warm, cl.sweep)
	}
}

func (cl *Client) sweep() {
	cl.sweeps.Store(false)
	if cl.closed.Load() {
		return
	}
	rest := false
	for _, pl := range cl.all() {
		rest = pl.settle() || rest
	}
	if rest {
		cl.sweepSoon()
	}
}
