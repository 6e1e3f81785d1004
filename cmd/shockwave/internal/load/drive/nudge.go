package drive

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// beat is the minimum interval at which the schedule is checked. At high rates requests are sent in small groups.
const beat = 100 * time.Microsecond

// nudgeOnSchedule has the requests of an open loop sent when they are due, from one goroutine for all slots.
func nudgeOnSchedule(ctx context.Context, st *state, slots []*Slot) {
	start := st.started.Load()
	alarm := pace.NewAlarm(ctx)
	defer alarm.Close()
	for i := int64(0); ; {
		now := st.now()
		for ; start+st.schedule.At(i) <= now; i++ {
			slots[i%int64(len(slots))].nudge(now)
		}
		if !alarm.Wait(max(time.Duration(start+st.schedule.At(i)-st.now()), beat)) {
			return
		}
	}
}

// nudge has the slot's connection send what is due. The lock is not held.
func (s *Slot) nudge(now int64) {
	if c := s.current(); c != nil {
		c.Nudge(now)
	}
}

// current returns the slot's connection, or nil. The lock is not held.
func (s *Slot) current() Conn {
	s.Lock()
	defer s.Unlock()
	return s.conn
}
