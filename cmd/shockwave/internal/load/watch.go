package load

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// watch ends connections whose responses time out, and runs that wait for a server that is gone. It checks all slots
// periodically: so a timeout needs no timer, and may be up to a twentieth too long.
func (r *run) watch(ctx context.Context) {
	ticker := time.NewTicker(min(max(r.cfg.Timeout/20, time.Millisecond), time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// A run with a number of requests must not wait forever for a server that is gone.
		if r.quota.limited && r.outages.lasted(r.now()) > r.cfg.Timeout {
			r.quota.done()
		}
		before := r.now() - int64(r.cfg.Timeout)
		for _, s := range r.slots {
			if c := s.overdue(before); c != nil {
				c.Abort()
			} else if r.cfg.HTTP2 {
				s.nudge(r.now()) // other requests take the places of those that timed out
			}
		}
	}
}

// overdue returns the slot's connection if it must end because its oldest request was sent before the given time. Over
// HTTP/2 only that request ends, unless nothing at all has arrived since.
func (s *slot) overdue(before int64) *netconn.Conn {
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	switch {
	case s.conn == nil || s.cause != noCause:
		return nil
	case s.streams != nil:
		if !s.streams.expire(before) {
			return nil
		}
	case s.flight.total == 0 || s.flight.oldest().sent >= before:
		return nil
	}
	s.cause = timedOut
	return s.conn
}
