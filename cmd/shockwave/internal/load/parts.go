package load

import (
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Parts are the times that connections and answers are made of, in nanoseconds. Those of connections are of all that were
// opened, before counting began too; one that there was none of is nil.
type Parts struct {
	Lookup    *hdrhistogram.Histogram // of the host's address, which is looked up once
	Connect   *hdrhistogram.Histogram // of TCP
	Handshake *hdrhistogram.Histogram // of TLS
	Upgrade   *hdrhistogram.Histogram // to WebSocket
	FirstByte *hdrhistogram.Histogram // of an answer, counted as its latency is: what is left of that is the rest of its bytes
}

// part is one of a connection's.
type part int

const (
	lookup part = iota
	connect
	handshake
	upgrade
	partCount
)

// parts collects the times of connections. All methods may be called concurrently.
type parts struct {
	mu    sync.Mutex
	times [partCount]*hdrhistogram.Histogram
}

func (p *parts) note(which part, d time.Duration) {
	const digits = 2 // of connections there are few, and a histogram is small so
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times[which] == nil {
		p.times[which] = hdrhistogram.New(finestLatency, longestLatency, digits)
	}
	p.times[which].RecordValue(min(int64(d), longestLatency))
}

// taken returns what was collected; what comes afterwards is not kept.
func (p *parts) taken() Parts {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.times
	p.times = [partCount]*hdrhistogram.Histogram{}
	return Parts{Lookup: t[lookup], Connect: t[connect], Handshake: t[handshake], Upgrade: t[upgrade]}
}

// split is about the answers that did not come at once: when they began, and when they were whole. Of all others the
// first byte is as late as the last, and costs no second histogram.
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

// firstByte returns the times of first bytes: those of whole answers, but of those that were split when they began.
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
