package drive

import (
	"context"
	"time"
)

// watch has requests without a response time out, and ends runs that wait for a server that is gone. It checks all slots
// periodically: so a timeout needs no timer, and may be up to a twentieth too long.
func watch(ctx context.Context, st *state, slots []*Slot) {
	ticker := time.NewTicker(min(max(st.plan.Timeout/20, time.Millisecond), time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		// A run with a number of requests must not wait forever for a server that is gone.
		if st.quota.Limited() && st.outages.Lasted(st.now()) > st.plan.Timeout {
			st.quota.GiveUp()
		}
		before := st.now() - int64(st.plan.Timeout)
		for _, s := range slots {
			if c := s.current(); c != nil {
				c.Expire(before)
			}
		}
	}
}
