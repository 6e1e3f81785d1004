package load

import (
	"context"
	"time"
)

// measurement collects the counts of a run, second by second.
type measurement struct {
	run    *run
	began  time.Time
	in     int64 // bytes received at the beginning of counting
	out    int64 // bytes sent then
	res    *Result
	total  *tally
	last   *tally        // counts of the current second
	open   int           // open connections at the last gather
	wasted time.Duration // time spent waiting for connections that did not end; not counted
}

func newAccount(r *run) *measurement {
	n := r.req.targets()
	return &measurement{run: r, res: &Result{}, total: newTally(n), last: newTally(n)}
}

// begin starts counting. It discards everything counted before, except for failed connection attempts and the stream
// limit that the server announced.
func (a *measurement) begin() {
	call(a.run.cfg.Began)
	a.gather(false)
	a.total.errors.Connect, a.total.streams.MaxStreams = a.last.errors.Connect, a.last.streams.MaxStreams
	a.in, a.out = a.run.bytes()
	a.began = time.Now()
}

// measure counts second by second until the time is over or ctx is done, and returns the result.
func (a *measurement) measure(ctx context.Context) *Result {
	for done := false; !done; {
		left := a.run.cfg.Duration - time.Since(a.began)
		sleep(ctx, min(left, a.nextSecond()))
		if done = ctx.Err() != nil || time.Since(a.began) >= a.run.cfg.Duration; done && a.run.oneWay {
			a.endOneWay()
		}
		a.second(done)
	}
	a.close()
	return a.res
}

// endOneWay ends the one-way connections and records how long that took.
func (a *measurement) endOneWay() {
	began, conns := time.Now(), a.run.open.Load()
	a.wasted = a.run.endConns()
	a.res.OneWay = &OneWay{Conns: conns, Parting: time.Since(began) - a.wasted}
}

// nextSecond returns the time until the current second is over.
func (a *measurement) nextSecond() time.Duration {
	return time.Until(a.began.Add(time.Duration(len(a.res.Seconds)+1) * time.Second))
}

// gather collects the counts of all shards. It takes the counts from every shard before adding them up, because adding
// takes a while.
func (a *measurement) gather(last bool) {
	a.res.Unanswered, a.open = 0, int(a.run.open.Load())
	taken := make([]*tally, 0, len(a.run.shards))
	for _, s := range a.run.shards {
		t, inFlight := s.take(last)
		taken = append(taken, t)
		a.res.Unanswered += inFlight
	}
	a.res.Elapsed = time.Since(a.began) - a.wasted
	if last {
		call(a.run.cfg.Ended)
	}
	a.last.reset()
	for _, t := range taken {
		a.last.add(t)
	}
}

// shortestSecond is the minimum length of the last second. A shorter rest is added to the second before it.
const shortestSecond = 100 * time.Millisecond

// second adds the counts of the current second to the result.
func (a *measurement) second(last bool) {
	a.gather(last)
	a.total.add(a.last)
	if n := len(a.res.Seconds); last && n > 0 && a.res.Elapsed-a.res.Seconds[n-1].At < shortestSecond {
		a.res.Seconds[n-1].Requests += a.last.requests
		a.res.Seconds[n-1].Errors += a.last.errors.Total()
		return
	}
	s := Second{
		At: a.res.Elapsed, Requests: a.last.requests, Errors: a.last.errors.Total(), Open: a.open,
		P50: time.Duration(a.last.latency.ValueAtQuantile(50)), P99: time.Duration(a.last.latency.ValueAtQuantile(99)),
	}
	a.res.Seconds = append(a.res.Seconds, s)
	if a.run.cfg.Progress != nil {
		a.run.cfg.Progress(s)
	}
}

// close completes the result.
func (a *measurement) close() {
	in, out := a.run.bytes()
	res, t := a.res, a.total
	res.BytesIn, res.BytesOut = in-a.in, out-a.out
	res.Requests, res.Late, res.Reconnects, res.Errors = t.requests, t.late, t.reconnects, t.errors
	res.Latency, res.Statuses = t.latency, map[int]int64{}
	res.Parts = a.run.opener.parts.taken()
	if !a.run.oneWay {
		res.Parts.FirstByte = t.firstByte()
	}
	began := int64(a.began.Sub(a.run.base))
	res.Outages = a.run.outages.within(began, began+int64(res.Elapsed))
	res.Targets = t.targets
	if a.run.cfg.HTTP2 || a.run.cfg.HTTP3 {
		res.Streams = &t.streams
	}
	if res.OneWay != nil {
		res.OneWay.Confirmed = t.confirmed
	}
	for status, n := range t.statuses {
		if n > 0 {
			res.Statuses[status] = n
		}
	}
	if a.run.schedule.rate > 0 {
		ended := a.began.Add(res.Elapsed)
		if res.OneWay != nil {
			ended = ended.Add(-res.OneWay.Parting) // nothing was sent while connections were ending
		}
		res.Unsent = a.run.unsent(int64(ended.Sub(a.run.base)))
	}
}

// unsent returns how many requests were due before end and not sent.
func (r *run) unsent(end int64) (n int64) {
	for _, s := range r.slots {
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

// sleep waits for d or until ctx is done.
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
