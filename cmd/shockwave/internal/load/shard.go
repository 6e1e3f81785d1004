package load

import (
	"runtime"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latencies are recorded in nanoseconds, in steps of 64 ns up to 131 µs and of 0.1 % beyond. A histogram takes 220 KB.
const (
	finestLatency  = int64(100)
	longestLatency = int64(time.Hour)
	latencyDigits  = 3
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(finestLatency, longestLatency, latencyDigits)
}

// tally counts what happened since it was last taken.
type tally struct {
	requests   int64
	late       int64
	reconnects int64
	confirmed  int64 // one-way connections whose other side has read everything
	errors     Errors
	statuses   [1000]int64
	latency    *hdrhistogram.Histogram
	split      *split
	streams    Streams
	targets    []Target // by URL; nil if there is only one
}

func newTally(targets int) *tally {
	t := &tally{latency: newHistogram()}
	if targets > 1 {
		t.targets = make([]Target, targets)
	}
	return t
}

// add adds o to t.
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
	t.streams.add(&o.streams)
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

// recordSplit records a response that did not arrive in one piece.
func (t *tally) recordSplit(begun, whole int64) {
	if t.split == nil {
		t.split = newSplit()
	}
	t.split.record(begun, whole)
}

// shard is a group of slots and their counts under one lock. A connection takes the lock once per call of Data, so
// counting a response costs no lock and no atomic operation of its own.
type shard struct {
	mu         sync.Mutex
	slots      []*slot
	inFlight   int64 // sent and not answered
	over       bool  // the run is over: nothing is counted or sent
	ending     bool  // one way: nothing more is sent, and connections end
	known      knownHead
	compressed [][]byte // by turn: a compressed frame that is known to be right
	inflater   inflater
	now        *tally
	spare      *tally

	// Responses of one batch nearly always have the same latency; they are recorded together.
	latency int64
	same    int64
}

func newShards(conns int, req *request) []*shard {
	all := make([]*shard, min(conns, 4*runtime.GOMAXPROCS(0), 64))
	for i := range all {
		all[i] = &shard{now: newTally(req.targets()), spare: newTally(req.targets())}
		if req.message != nil {
			all[i].compressed = make([][]byte, req.turns.all)
		}
	}
	return all
}

// record records the latency of a response. mu must be held.
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

// take returns the counts since the last call; they are valid until the next call. It also returns the number of
// requests in flight. last says that the run is over.
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
