package httpclient

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/join/h2client"
)

// These errors say why a connection is not kept. They are passed to Trace.PutIdle.
var (
	errAsked  = errors.New("http: connections are not reused")
	errUnfit  = errors.New("http: the connection cannot be reused")
	errOld    = errors.New("http: the connection has reached its maximum lifetime")
	errEnough = errors.New("http: too many idle connections")
	errWanted = errors.New("http: other hosts wait for a connection")
)

// unwantedLocked returns why hp does not keep another idle connection, nil if it does. hp.mu is the lock.
func (ps *pools) unwantedLocked(hp *hostPool) error {
	switch most := ps.cfg.MaxIdlePerHost; {
	case ps.closed.Load():
		return ErrClosed
	case hp.pruned:
		return errEnough
	case ps.cfg.KeepNone, ps.noIdle.Load():
		return errAsked
	case most > 0 && len(hp.idle) >= most:
		return errEnough
	case ps.room.anyBlocked():
		return errWanted
	}
	return nil
}

// makeRoom closes the connection that has been idle longest. If there is none it lets the blocked pools look again.
func (ps *pools) makeRoom() {
	if !ps.closeOldest(true) {
		ps.room.unblock() // a connection may have ended before the pool was queued
	}
}

// closeOldest closes the connection that has been idle longest and reports whether there was one. both says that
// connections of HTTP/2 count as well.
func (ps *pools) closeOldest(both bool) bool {
	for range 3 { // another goroutine may take the connection meanwhile
		oldest, since := ps.oldest()
		var shared *h2client.Conn
		var at int64
		if both {
			shared, at = ps.h2.Oldest()
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
func (ps *pools) oldest() (oldest *hostPool, since int64) {
	for _, hp := range ps.all() {
		if at, ok := hp.oldest(); ok && (oldest == nil || at < since) {
			oldest, since = hp, at
		}
	}
	return oldest, since
}

// idleH2 is called when a connection of HTTP/2 has become idle. It closes the connection if a pool waits for room.
func (ps *pools) idleH2(c *h2client.Conn) {
	if ps.room.anyBlocked() {
		go c.CloseIfIdle()
	}
}

// sweepSoon schedules a sweep, which starts to watch connections that have been idle for a while.
func (ps *pools) sweepSoon() {
	if !ps.sweepDue.Load() && ps.sweepDue.CompareAndSwap(false, true) {
		time.AfterFunc(watchAfter, ps.sweep)
	}
}

func (ps *pools) sweep() {
	ps.sweepDue.Store(false)
	if ps.closed.Load() {
		return
	}
	rest := false
	for _, hp := range ps.all() {
		rest = hp.watchIdle() || rest
	}
	if rest {
		ps.sweepSoon()
	}
}

// idleSince returns now, or a little more if necessary: each result is later than the one before. The clock is coarse, and
// the connection that has been idle longest must be known, unless there are no limits for all hosts together.
func (ps *pools) idleSince(now int64) int64 {
	if ps.cfg.MaxIdle <= 0 && ps.cfg.MaxConns <= 0 {
		return now
	}
	for {
		last := ps.lastIdleSince.Load()
		if now = max(now, last+1); ps.lastIdleSince.CompareAndSwap(last, now) {
			return now
		}
	}
}

// waitTimer returns a channel on which WaitTimeout ends; nil if there is none.
func (ps *pools) waitTimer() <-chan time.Time {
	if ps.cfg.WaitTimeout <= 0 {
		return nil
	}
	return time.After(ps.cfg.WaitTimeout)
}

// tooOld reports whether c has reached MaxLifetime.
func (ps *pools) tooOld(c *conn, now int64) bool {
	return ps.cfg.MaxLifetime > 0 && now-c.born >= int64(ps.cfg.MaxLifetime)
}

// idleLeft returns how much longer a connection may be idle; 0 means for ever.
func (ps *pools) idleLeft(since, now int64) time.Duration {
	if ps.cfg.IdleTimeout <= 0 {
		return 0
	}
	return max(ps.cfg.IdleTimeout-time.Duration(now-since), 1)
}

// idleTooLong reports whether a connection has reached IdleTimeout.
func (ps *pools) idleTooLong(since, now int64) bool {
	return ps.cfg.IdleTimeout > 0 && now-since >= int64(ps.cfg.IdleTimeout)
}
