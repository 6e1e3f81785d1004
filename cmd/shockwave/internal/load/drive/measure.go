package drive

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
)

// measurement collects the counts of a run, second by second.
type measurement struct {
	*state
	driver Driver
	shards []*shard
	slots  []*Slot
	began  time.Time
	in     int64 // bytes received at the beginning of counting
	out    int64 // bytes sent then
	res    *account.Result
	total  *account.Tally
	last   *account.Tally // counts of the current second
	conns  int            // open connections at the last gather
	wasted time.Duration  // time spent waiting for connections that did not end; not counted
}

func newMeasurement(st *state, driver Driver, shards []*shard, slots []*Slot) *measurement {
	return &measurement{
		state: st, driver: driver, shards: shards, slots: slots,
		res:   &account.Result{Connecting: time.Since(st.base)},
		total: account.NewTally(st.plan.URLs), last: account.NewTally(st.plan.URLs),
	}
}

// begin starts counting. It discards everything counted before, except for failed connection attempts and the stream
// limit that the server announced.
func (m *measurement) begin() {
	call(m.plan.Began)
	m.gather(false)
	m.total.Errors.Connect, m.total.Streams.MaxStreams = m.last.Errors.Connect, m.last.Streams.MaxStreams
	m.in, m.out = m.driver.Bytes()
	m.began = time.Now()
}

// measure counts second by second until the time is over or ctx is done, and returns the result.
func (m *measurement) measure(ctx context.Context) *account.Result {
	for done := false; !done; {
		left := m.plan.Duration - time.Since(m.began)
		pace.Sleep(ctx, min(left, m.nextSecond()))
		if done = ctx.Err() != nil || time.Since(m.began) >= m.plan.Duration; done && m.plan.OneWay {
			m.endOneWay()
		}
		m.second(done)
	}
	m.close()
	return m.res
}

// endOneWay ends the one-way connections and records how long that took.
func (m *measurement) endOneWay() {
	began, conns := time.Now(), m.open.Load()
	m.wasted = part(m.state, m.slots)
	m.res.OneWay = &account.OneWay{Conns: conns, Parting: time.Since(began) - m.wasted}
}

// nextSecond returns the time until the current second is over.
func (m *measurement) nextSecond() time.Duration {
	return time.Until(m.began.Add(time.Duration(len(m.res.Seconds)+1) * time.Second))
}

// gather collects the counts of all shards. It takes the counts from every shard before adding them up, because adding
// takes a while.
func (m *measurement) gather(last bool) {
	m.res.Unanswered, m.conns = 0, int(m.open.Load())
	taken := make([]*account.Tally, 0, len(m.shards))
	for _, s := range m.shards {
		t, inFlight := s.take(last)
		taken = append(taken, t)
		m.res.Unanswered += inFlight
	}
	m.res.Elapsed = time.Since(m.began) - m.wasted
	if last {
		call(m.plan.Ended)
	}
	m.last.Reset()
	for _, t := range taken {
		m.last.Add(t)
	}
}

// shortestSecond is the minimum length of the last second. A shorter rest is added to the second before it.
const shortestSecond = 100 * time.Millisecond

// second adds the counts of the current second to the result.
func (m *measurement) second(last bool) {
	m.gather(last)
	m.total.Add(m.last)
	if n := len(m.res.Seconds); last && n > 0 && m.res.Elapsed-m.res.Seconds[n-1].At < shortestSecond {
		m.res.Seconds[n-1].Requests += m.last.Requests
		m.res.Seconds[n-1].Errors += m.last.Errors.Total()
		return
	}
	s := account.Second{
		At: m.res.Elapsed, Requests: m.last.Requests, Errors: m.last.Errors.Total(), Open: m.conns,
		P50: time.Duration(m.last.Latency().ValueAtQuantile(50)), P99: time.Duration(m.last.Latency().ValueAtQuantile(99)),
	}
	m.res.Seconds = append(m.res.Seconds, s)
	if m.plan.Progress != nil {
		m.plan.Progress(s)
	}
}

// close completes the result.
func (m *measurement) close() {
	in, out := m.driver.Bytes()
	res, t := m.res, m.total
	res.BytesIn, res.BytesOut = in-m.in, out-m.out
	res.Requests, res.Late, res.Reconnects, res.Errors = t.Requests, t.Late, t.Reconnects, t.Errors
	res.Latency, res.Statuses = t.Latency(), map[int]int64{}
	res.Parts = m.connecting.Take()
	if !m.plan.OneWay {
		res.Parts.FirstByte = t.FirstByte()
	}
	began := int64(m.began.Sub(m.base))
	res.Outages = m.outages.Within(began, began+int64(res.Elapsed))
	res.Targets = t.Targets
	if m.plan.Streams {
		res.Streams = &t.Streams
	}
	if res.OneWay != nil {
		res.OneWay.Confirmed = t.Confirmed
	}
	for status, n := range t.Statuses {
		if n > 0 {
			res.Statuses[status] = n
		}
	}
	if m.plan.Rate > 0 {
		ended := m.began.Add(res.Elapsed)
		if res.OneWay != nil {
			ended = ended.Add(-res.OneWay.Parting) // nothing was sent while connections were ending
		}
		res.Unsent = m.unsent(int64(ended.Sub(m.base)))
	}
}

// unsent returns how many requests were due before end and not sent.
func (m *measurement) unsent(end int64) (n int64) {
	for _, s := range m.slots {
		n += s.unsent(end)
	}
	return n
}
