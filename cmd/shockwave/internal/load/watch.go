package load

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// watch ends connections whose answers do not come, and a run that waits in vain. It looks at each seat every now and then: an answer's timeout costs
// no timer and is up to a twentieth too long.
func (r *run) watch(ctx context.Context) {
	ticker := time.NewTicker(min(max(r.cfg.Timeout/20, time.Millisecond), time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// A run that is for a number of answers must not wait for ever for a server that has gone.
		if r.quota.limited && r.outages.lasted(r.now()) > r.cfg.Timeout {
			r.quota.done()
		}
		before := r.now() - int64(r.cfg.Timeout)
		for _, s := range r.seats {
			if c := s.overdue(before); c != nil {
				c.Abort()
			} else if r.cfg.HTTP2 {
				s.nudge(r.now()) // others take the places of what was given up
			}
		}
	}
}

// overdue returns the seat's connection if that is to end, since its oldest request was sent before the moment given. Over
// HTTP/2 such a request ends alone, unless nothing came since.
func (s *seat) overdue(before int64) *netconn.Conn {
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
	s.cause = tooLate
	return s.conn
}
