package drive

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// run is a call of Run.
type run struct {
	*state
	driver Driver
	opener *opener
	shards []*shard
	slots  []*Slot
}

func newRun(plan Plan, driver Driver) *run {
	r := &run{state: newState(plan, driver.Turns()), driver: driver, shards: newShards(&plan)}
	queue := make(chan *Slot, plan.Conns)
	r.opener = &opener{state: r.state, driver: driver, queue: queue}
	r.slots = newSlots(r.state, r.shards, queue)
	return r
}

// Run generates load as plan says until the time is over or ctx is done, and returns the result in either case. It returns an
// error if no connection could be opened. All connections have ended when Run returns.
func Run(ctx context.Context, plan Plan, driver Driver) (*account.Result, error) {
	r := newRun(plan, driver)
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	defer func() {
		cancel()
		parts.Wait()
		r.close()
	}()
	counting, enough := context.WithCancel(ctx)
	defer enough()
	if plan.Requests > 0 {
		r.quota.Limit(plan.Requests, enough)
	}
	for range min(maxDials, len(r.slots)) {
		parts.Go(func() { r.opener.work(ctx) })
	}
	for _, s := range r.slots {
		s.queueAfter(0)
	}
	if err := r.connect(ctx); err != nil {
		return nil, err
	}
	m := newMeasurement(r.state, driver, r.shards, r.slots)
	parts.Go(func() { watch(ctx, r.state, r.slots) })
	if plan.Warmup > 0 {
		r.start(ctx, &parts)
		pace.Sleep(ctx, plan.Warmup)
		m.begin()
	} else {
		m.begin() // before start, so that the first responses count
		r.start(ctx, &parts)
	}
	return m.measure(counting), nil
}

// connect waits until every slot has a connection or has been given up. It also stops if no slot has settled for twice
// the Timeout.
func (r *run) connect(ctx context.Context) error {
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for r.settled.Load() < int64(len(r.slots)) && ctx.Err() == nil {
		if r.now()-r.progress.Load() > 2*int64(r.plan.Timeout) {
			break
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
	if r.everOpen.Load() > 0 {
		return nil
	}
	err := r.opener.err()
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = fmt.Errorf("nothing has come of it for %v", 2*r.plan.Timeout)
	}
	return fmt.Errorf("load: no connection to %s could be opened: %w", r.plan.Host, err)
}

// start sends the first requests.
func (r *run) start(ctx context.Context, parts *sync.WaitGroup) {
	r.started.Store(r.now())
	call(r.plan.Started)
	if r.plan.Rate > 0 {
		parts.Go(func() { nudgeOnSchedule(ctx, r.state, r.slots) })
		return
	}
	for _, s := range r.slots {
		s.nudge(r.now())
	}
}

// close ends all connections and waits until they have ended.
func (r *run) close() {
	for _, sh := range r.shards {
		sh.stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), r.plan.Timeout)
	defer cancel()
	r.driver.Close(ctx)
	r.working.Wait()
}
