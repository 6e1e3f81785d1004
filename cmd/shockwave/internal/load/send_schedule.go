package load

import (
	"context"
	"time"
)

// beat is the minimum interval at which the schedule is checked. At high rates requests are sent in small groups.
const beat = 100 * time.Microsecond

// sendOnSchedule sends the requests of an open loop when they are due, from one goroutine for all slots.
func (r *run) sendOnSchedule(ctx context.Context) {
	start := r.started.Load()
	alarm := newAlarm(ctx)
	defer alarm.close()
	for i := int64(0); ; {
		now := r.now()
		for ; start+r.schedule.at(i) <= now; i++ {
			r.slots[i%int64(len(r.slots))].nudge(now)
		}
		if !alarm.wait(max(time.Duration(start+r.schedule.at(i)-r.now()), beat)) {
			return
		}
	}
}

// nudge sends what is due. It is called outside the connection's goroutine.
func (s *slot) nudge(now int64) {
	s.shard.mu.Lock()
	var requests []byte
	if s.h3 != nil && s.run.schedule.rate > 0 {
		s.h3.may.Signal()
	} else if s.h3 != nil {
		s.h3.may.Broadcast()
	}
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
		s.write(c, requests) // on error the connection ends, and End counts that
	}
}
