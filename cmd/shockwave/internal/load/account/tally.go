package account

import "github.com/HdrHistogram/hdrhistogram-go"

// Tally counts what has happened since it was last reset. It belongs to whoever holds the lock that guards it.
type Tally struct {
	Requests   int64
	Late       int64
	Reconnects int64
	Confirmed  int64 // one-way connections whose other side has read everything
	Errors     Errors
	Statuses   [1000]int64
	Streams    Streams
	Targets    []Target // by URL; nil if there is only one

	latency *hdrhistogram.Histogram
	split   *split // nil until a response arrives in several pieces

	// Responses of one batch nearly always have the same latency; they are recorded together.
	last int64 // the latest latency
	same int64 // responses with it that are not in the histogram yet
}

// NewTally returns a tally for the given number of URLs.
func NewTally(urls int) *Tally {
	t := &Tally{latency: newHistogram()}
	if urls > 1 {
		t.Targets = make([]Target, urls)
	}
	return t
}

// RecordLatency records the latency of a complete response, in nanoseconds.
func (t *Tally) RecordLatency(ns int64) {
	if ns != t.last {
		t.flush()
		t.last = ns
	}
	t.same++
}

func (t *Tally) flush() {
	if t.same > 0 {
		t.latency.RecordValues(min(max(t.last, 0), longestLatency), t.same)
		t.same = 0
	}
}

// RecordSplit records a response that did not arrive in one piece: the latencies of its first byte and of its end.
func (t *Tally) RecordSplit(begun, whole int64) {
	if t.split == nil {
		t.split = newSplit()
	}
	t.split.record(begun, whole)
}

// Add adds o to t.
func (t *Tally) Add(o *Tally) {
	t.Requests += o.Requests
	t.Late += o.Late
	t.Reconnects += o.Reconnects
	t.Confirmed += o.Confirmed
	t.Errors.add(&o.Errors)
	for i, n := range o.Statuses {
		t.Statuses[i] += n
	}
	t.latency.Merge(o.Latency())
	if o.split != nil {
		if t.split == nil {
			t.split = newSplit()
		}
		t.split.add(o.split)
	}
	t.Streams.add(&o.Streams)
	for i := range o.Targets {
		t.Targets[i].add(&o.Targets[i])
	}
}

// Reset makes all counts zero.
func (t *Tally) Reset() {
	t.latency.Reset()
	if t.split != nil {
		t.split.reset()
	}
	clear(t.Targets)
	*t = Tally{latency: t.latency, split: t.split, Targets: t.Targets}
}

// Latency returns the latencies. The histogram belongs to t.
func (t *Tally) Latency() *hdrhistogram.Histogram {
	t.flush()
	return t.latency
}

// FirstByte returns the times of first bytes: the latencies, with those of split responses replaced by their
// beginnings. The histogram belongs to the caller.
func (t *Tally) FirstByte() *hdrhistogram.Histogram {
	all := t.Latency().Export()
	if t.split != nil {
		begun, whole := t.split.begun.Export(), t.split.whole.Export()
		for i := range all.Counts {
			all.Counts[i] += begun.Counts[i] - whole.Counts[i]
		}
	}
	return hdrhistogram.Import(all)
}
