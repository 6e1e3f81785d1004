package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Parts holds the times of connecting and of the first byte of responses, in nanoseconds. The times of connecting cover
// all connections, including those opened before counting began. A histogram without values is nil.
type Parts struct {
	Lookup    *hdrhistogram.Histogram // of the host's address, which is resolved once
	Connect   *hdrhistogram.Histogram // TCP connect
	Handshake *hdrhistogram.Histogram // TLS handshake
	Upgrade   *hdrhistogram.Histogram // WebSocket handshake
	FirstByte *hdrhistogram.Histogram // of a response, with the same start as its latency
}

// part identifies one of the times of connecting.
type part int

const (
	lookup part = iota
	connect
	handshake
	upgrade
	partCount
)

// parts collects the times of connecting. All methods may be called concurrently.
type parts struct {
	mu    sync.Mutex
	times [partCount]*hdrhistogram.Histogram
}

func (p *parts) note(which part, d time.Duration) {
	const digits = 2 // two digits keep the histogram small; there are few connections
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times[which] == nil {
		p.times[which] = hdrhistogram.New(finestLatency, longestLatency, digits)
	}
	p.times[which].RecordValue(min(int64(d), longestLatency))
}

// taken returns the collected times and starts anew.
func (p *parts) taken() Parts {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.times
	p.times = [partCount]*hdrhistogram.Histogram{}
	return Parts{Lookup: t[lookup], Connect: t[connect], Handshake: t[handshake], Upgrade: t[upgrade]}
}

// split records responses that did not arrive in one piece: when they began and when they were complete. For all other
// responses the first byte is as late as the last one, so they need no second histogram.
type split struct{ begun, whole *hdrhistogram.Histogram }

func newSplit() *split { return &split{newHistogram(), newHistogram()} }

func (s *split) record(begun, whole int64) {
	s.begun.RecordValue(min(max(begun, 0), longestLatency))
	s.whole.RecordValue(min(max(whole, 0), longestLatency))
}

func (s *split) add(o *split) {
	s.begun.Merge(o.begun)
	s.whole.Merge(o.whole)
}

func (s *split) reset() {
	s.begun.Reset()
	s.whole.Reset()
}

// firstByte returns the times of first bytes: the latencies, with those of split responses replaced by their
// beginnings.
func (t *tally) firstByte() *hdrhistogram.Histogram {
	all := t.latency.Export()
	if t.split != nil {
		begun, whole := t.split.begun.Export(), t.split.whole.Export()
		for i := range all.Counts {
			all.Counts[i] += begun.Counts[i] - whole.Counts[i]
		}
	}
	return hdrhistogram.Import(all)
}
