package load

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// account is the part of a run that counts.
type account struct {
	run   *run
	began time.Time
	wire  netconn.Stats // when counting began
	res   *Result
	total tally
	last  tally // of one second
}

// count lets the warm-up pass, and then keeps account second by second until the time is over.
func (r *run) count(ctx context.Context) *Result {
	a := &account{run: r, res: &Result{}, total: tally{latency: newHistogram()}, last: tally{latency: newHistogram()}}
	sleep(ctx, r.cfg.Warmup)
	call(r.cfg.Began)
	a.begin()
	for done := false; !done; {
		left := r.cfg.Duration - time.Since(a.began)
		sleep(ctx, min(left, a.nextSecond()))
		done = ctx.Err() != nil || time.Since(a.began) >= r.cfg.Duration
		a.second(done)
	}
	call(r.cfg.Ended)
	a.close()
	return a.res
}

// begin forgets what was counted before, except for connections that could not be opened.
func (a *account) begin() {
	a.gather(false)
	a.total.errors.Connect = a.last.errors.Connect
	a.wire = a.run.engine.Stats()
	a.began = time.Now()
}

// nextSecond returns how long the second lasts that is under way.
func (a *account) nextSecond() time.Duration {
	return time.Until(a.began.Add(time.Duration(len(a.res.Seconds)+1) * time.Second))
}

// gather takes what the shards have counted.
func (a *account) gather(last bool) {
	a.last.reset()
	a.res.Unanswered = 0
	for _, s := range a.run.shards {
		t, inFlight := s.take(last)
		a.last.add(t)
		a.res.Unanswered += inFlight
	}
}

// second closes the account of a second.
func (a *account) second(last bool) {
	a.gather(last)
	a.res.Elapsed = time.Since(a.began)
	s := Second{
		At: a.res.Elapsed, Requests: a.last.requests, Errors: a.last.errors.Total(), Open: int(a.run.open.Load()),
		P50: time.Duration(a.last.latency.ValueAtQuantile(50)), P99: time.Duration(a.last.latency.ValueAtQuantile(99)),
	}
	a.total.add(&a.last)
	a.res.Seconds = append(a.res.Seconds, s)
	if a.run.cfg.Progress != nil {
		a.run.cfg.Progress(s)
	}
}

// close fills in the result.
func (a *account) close() {
	wire := a.run.engine.Stats()
	res, t := a.res, &a.total
	res.BytesIn, res.BytesOut = wire.BytesIn-a.wire.BytesIn, wire.BytesOut-a.wire.BytesOut
	res.Requests, res.Late, res.Reconnects, res.Errors = t.requests, t.late, t.reconnects, t.errors
	res.Latency, res.Statuses = t.latency, map[int]int64{}
	for status, n := range t.statuses {
		if n > 0 {
			res.Statuses[status] = n
		}
	}
	if a.run.schedule.rate > 0 {
		res.Unsent = a.run.unsent(int64(a.began.Add(res.Elapsed).Sub(a.run.base)))
	}
}

// unsent returns how many moments had come at the end, of which no request was made.
func (r *run) unsent(end int64) (n int64) {
	for _, s := range r.seats {
		s.shard.mu.Lock()
		n += max(0, r.schedule.passed(s.index, end-r.started.Load())-s.next)
		s.shard.mu.Unlock()
	}
	return n
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
