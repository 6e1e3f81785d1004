package drive

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// state is what the slots of a run share. Times are nanoseconds since base.
type state struct {
	plan       Plan
	turns      pace.Turns
	schedule   pace.Schedule
	quota      pace.Quota
	sameChecks []sameCheck // by URL; nil without Same
	outages    account.OutageLog
	connecting account.Connecting
	base       time.Time
	started    atomic.Int64 // when the first requests may be sent; 0: not yet
	open       atomic.Int64 // open connections
	everOpen   atomic.Int64 // slots that have had a connection
	settled    atomic.Int64 // slots that have had a connection or were given up
	progress   atomic.Int64 // when a slot settled last
	working    sync.WaitGroup
}

func newState(plan Plan, turns pace.Turns) *state {
	st := &state{plan: plan, turns: turns, schedule: pace.Schedule{Rate: plan.Rate, Slots: plan.Conns}, base: time.Now()}
	if plan.Same {
		st.sameChecks = make([]sameCheck, turns.All)
	}
	return st
}

// now returns the nanoseconds since the run was made. It never returns 0.
func (st *state) now() int64 { return int64(time.Since(st.base)) + 1 }
