package load

import (
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are kept in nanoseconds, in steps of 64 ns up to 131 µs and of 0.1 % from there on: 220 KB a histogram.
const (
	finestLatency  = int64(100)
	longestLatency = int64(time.Hour)
	latencyDigits  = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(finestLatency, longestLatency, latencyDigits)
}

// tally is what happened since the last look.
type tally struct {
	requests   int64
	late       int64
	reconnects int64
	errors     Errors
	statuses   [1000]int64
	latency    *hdrhistogram.Histogram
}

// add takes in what o has.
func (t *tally) add(o *tally) {
	t.requests += o.requests
	t.late += o.late
	t.reconnects += o.reconnects
	t.errors.add(&o.errors)
	for i, n := range o.statuses {
		t.statuses[i] += n
	}
	t.latency.Merge(o.latency)
}

func (t *tally) reset() {
	h := t.latency
	h.Reset()
	*t = tally{latency: h}
}

// shard is a few seats and what they count, under one lock. It is taken once for each run of Data, so that what is
// counted for one answer among many costs no lock and no atomic operation.
type shard struct {
	mu       sync.Mutex
	seats    []*seat
	inFlight int64 // sent and not answered
	over     bool  // nothing counts any more, nothing is to be sent
	known    knownHead
	squeezed [][]byte // of each turn: a compressed frame that has been found to be the right one
	inflater inflater
	now      *tally
	spare    *tally

	// Answers of one batch have the same latency, nearly always: they are recorded together.
	latency int64
	same    int64
}

func newShards(conns, turns int) []*shard {
	all := make([]*shard, min(conns, 4*runtime.GOMAXPROCS(0), 64))
	for i := range all {
		all[i] = &shard{
			squeezed: make([][]byte, turns),
			now:      &tally{latency: newHistogram()}, spare: &tally{latency: newHistogram()},
		}
	}
	return all
}

// record notes the latency of an answer; mu is held.
func (s *shard) record(ns int64) {
	if ns != s.latency {
		s.flush()
		s.latency = ns
	}
	s.same++
}

func (s *shard) flush() {
	if s.same > 0 {
		s.now.latency.RecordValues(min(max(s.latency, 0), longestLatency), s.same)
		s.same = 0
	}
}

// take returns what was counted since the last take; it is the caller's until the next one. last says that this is
// the end. It also returns how many requests are in flight.
func (s *shard) take(last bool) (t *tally, inFlight int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flush()
	t = s.now
	s.now, s.spare = s.spare, t
	s.now.reset()
	s.over = s.over || last
	return t, s.inFlight
}
