package httpclient

import (
	"errors"
	"slices"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// These errors say why a connection is not kept. They are passed to Trace.PutIdle.
var (
	errAsked  = errors.New("http: the request or the client asked for that")
	errUnfit  = errors.New("http: the response, or the server, ends the connection")
	errOld    = errors.New("http: the connection is too old")
	errEnough = errors.New("http: enough connections are idle")
	errWanted = errors.New("http: requests to other hosts wait for connections")
)

// reserve counts another connection if MaxConns allows it. Otherwise it puts hp in the queue of blocked pools. Pools that
// are blocked already come first; first is true when hp has just been taken from the head of that queue. The caller must
// hold hp.mu.
func (cl *Client) reserve(hp *hostPool, first bool) bool {
	most := int64(cl.cfg.MaxConns)
	if most <= 0 {
		cl.opened.Add(1)
		return true
	}
	cl.blockedMu.Lock()
	defer cl.blockedMu.Unlock()
	if (first || len(cl.blocked) == 0) && cl.opened.Load() < most {
		cl.opened.Add(1)
		return true
	}
	if !hp.blocked {
		hp.blocked = true
		cl.blocked = append(cl.blocked, hp)
		go cl.makeRoom()
	}
	return false
}

// makeRoom closes the connection that has been idle longest. If there is none it lets the blocked pools look again.
func (cl *Client) makeRoom() {
	if !cl.closeOldest(true) {
		cl.unblock() // a connection may have ended before the pool was queued
	}
}

// connEnded is called when a connection has ended.
func (cl *Client) connEnded() {
	cl.opened.Add(-1)
	cl.unblock()
}

// unblock lets blocked pools open connections while MaxConns allows it, the pool that has waited longest first. That
// pool's waiters may have been served by other connections meanwhile; then it is the next pool's turn.
func (cl *Client) unblock() {
	for {
		hp := cl.popBlocked()
		if hp == nil {
			return
		}
		hp.mu.Lock()
		hp.blocked = false
		hp.dialMore(true)
		hp.mu.Unlock()
	}
}

// popBlocked removes the pool that has waited longest from the queue, if MaxConns allows another connection. Otherwise it
// returns nil.
func (cl *Client) popBlocked() *hostPool {
	if cl.cfg.MaxConns <= 0 {
		return nil
	}
	cl.blockedMu.Lock()
	defer cl.blockedMu.Unlock()
	if len(cl.blocked) == 0 || cl.opened.Load() >= int64(cl.cfg.MaxConns) {
		return nil
	}
	hp := cl.blocked[0]
	cl.blocked = slices.Delete(cl.blocked, 0, 1)
	return hp
}

// anyBlocked reports whether a pool waits for connections of other pools to end.
func (cl *Client) anyBlocked() bool {
	if cl.cfg.MaxConns <= 0 {
		return false
	}
	cl.blockedMu.Lock()
	defer cl.blockedMu.Unlock()
	return len(cl.blocked) > 0
}

// unwanted returns why hp does not keep another idle connection, nil if it does. The caller must hold hp.mu.
func (cl *Client) unwanted(hp *hostPool) error {
	switch most := cl.cfg.MaxIdlePerHost; {
	case cl.closed.Load():
		return ErrClosed
	case hp.pruned:
		return errEnough
	case cl.cfg.KeepNone, cl.noIdle.Load():
		return errAsked
	case most > 0 && len(hp.idle) >= most:
		return errEnough
	case cl.anyBlocked():
		return errWanted
	}
	return nil
}

// closeOldest closes the connection that has been idle longest and reports whether there was one. both says that
// connections of HTTP/2 count as well.
func (cl *Client) closeOldest(both bool) bool {
	for range 3 { // another goroutine may take the connection meanwhile
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

// oldest returns the pool with the connection of HTTP/1.1 that has been idle longest, and since when; nil if there is
// none.
func (cl *Client) oldest() (oldest *hostPool, since int64) {
	for _, hp := range cl.all() {
		if at, ok := hp.oldest(); ok && (oldest == nil || at < since) {
			oldest, since = hp, at
		}
	}
	return oldest, since
}

// idleH2 is called when a connection of HTTP/2 has become idle. It closes the connection if a pool waits for room.
func (cl *Client) idleH2(c *h2client.Conn) {
	if cl.anyBlocked() {
		go c.CloseIfIdle()
	}
}

// tooOld reports whether c has reached MaxLifetime.
func (cl *Client) tooOld(c *conn, now int64) bool {
	return cl.cfg.MaxLifetime > 0 && now-c.born >= int64(cl.cfg.MaxLifetime)
}

// idleLeft returns how much longer a connection may be idle; 0 means for ever.
func (cl *Client) idleLeft(since, now int64) time.Duration {
	if cl.cfg.IdleTimeout <= 0 {
		return 0
	}
	return max(cl.cfg.IdleTimeout-time.Duration(now-since), 1)
}

// idleTooLong reports whether a connection has reached IdleTimeout.
func (cl *Client) idleTooLong(since, now int64) bool {
	return cl.cfg.IdleTimeout > 0 && now-since >= int64(cl.cfg.IdleTimeout)
}

// sweepSoon schedules a sweep, which starts to watch connections that have been idle for a while.
func (cl *Client) sweepSoon() {
	if !cl.sweepDue.Load() && cl.sweepDue.CompareAndSwap(false, true) {
		time.AfterFunc(watchAfter, cl.sweep)
	}
}

func (cl *Client) sweep() {
	cl.sweepDue.Store(false)
	if cl.closed.Load() {
		return
	}
	rest := false
	for _, hp := range cl.all() {
		rest = hp.watchIdle() || rest
	}
	if rest {
		cl.sweepSoon()
	}
}
