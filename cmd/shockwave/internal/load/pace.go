package load

import (
	"context"
	"time"
)

// beat is the least time between two looks at the schedule: at high rates, requests leave in small groups.
const beat = 100 * time.Microsecond

// pace sends the requests of an open loop at their moments, from one goroutine for all seats.
func (r *run) pace(ctx context.Context) {
	start := r.started.Load()
	alarm := newAlarm(ctx)
	defer alarm.close()
	for i := int64(0); ; {
		now := r.now()
		for ; start+r.schedule.at(i) <= now; i++ {
			r.seats[i%int64(len(r.seats))].nudge(now)
		}
		if !alarm.wait(max(time.Duration(start+r.schedule.at(i)-r.now()), beat)) {
			return
		}
	}
}

// nudge sends what is due, from outside the connection's goroutine.
func (s *seat) nudge(now int64) {
	s.shard.mu.Lock()
	var requests []byte
	c, streams := s.conn, s.streams
	draws := c != nil && streams != nil
	if !s.shard.over && !draws {
		requests = s.pump(now)
	}
	s.shard.mu.Unlock()
	if draws {
		c.Draw(streams)
	}
	if requests != nil {
		s.write(c, requests) // if that fails the connection ends, and End accounts for it
	}
}
