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
	confirmed  int64 // connections whose other side has read everything
	errors     Errors
	statuses   [1000]int64
	latency    *hdrhistogram.Histogram
	split      *split
	h2         HTTP2
	targets    []Target // of each URL; nil if there is one only
}

func newTally(targets int) *tally {
	t := &tally{latency: newHistogram()}
	if targets > 1 {
		t.targets = make([]Target, targets)
	}
	return t
}

// add takes in what o has.
func (t *tally) add(o *tally) {
	t.requests += o.requests
	t.late += o.late
	t.reconnects += o.reconnects
	t.confirmed += o.confirmed
	t.errors.add(&o.errors)
	for i, n := range o.statuses {
		t.statuses[i] += n
	}
	t.latency.Merge(o.latency)
	if o.split != nil {
		if t.split == nil {
			t.split = newSplit()
		}
		t.split.add(o.split)
	}
	t.h2.add(&o.h2)
	for i := range o.targets {
		t.targets[i].add(&o.targets[i])
	}
}

func (t *tally) reset() {
	t.latency.Reset()
	if t.split != nil {
		t.split.reset()
	}
	clear(t.targets)
	*t = tally{latency: t.latency, split: t.split, targets: t.targets}
}

// recordSplit notes the times of an answer that did not come at once.
func (t *tally) recordSplit(begun, whole int64) {
	if t.split == nil {
		t.split = newSplit()
	}
	t.split.record(begun, whole)
}

// shard is a few seats and what they count, under one lock. It is taken once for each run of Data, so that what is
// counted for one answer among many costs no lock and no atomic operation.
type shard struct {
	mu       sync.Mutex
	seats    []*seat
	inFlight int64 // sent and not answered
	over     bool  // nothing counts any more, nothing is to be sent
	ending   bool  // one way: nothing more is sent, and connections end
	known    knownHead
	squeezed [][]byte // of each turn: a compressed frame that has been found to be the right one
	inflater inflater
	now      *tally
	spare    *tally

	// Answers of one batch have the same latency, nearly always: they are recorded together.
	latency int64
	same    int64
}

func newShards(conns int, req *request) []*shard {
	all := make([]*shard, min(conns, 4*runtime.GOMAXPROCS(0), 64))
	for i := range all {
		all[i] = &shard{now: newTally(req.targets()), spare: newTally(req.targets())}
		if req.message != nil {
			all[i].squeezed = make([][]byte, req.turns.all)
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
