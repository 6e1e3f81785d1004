package account

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

// Part is a part of connecting.
type Part int

// The parts of connecting.
const (
	Lookup    Part = iota // the host's address
	Connect               // of TCP
	Handshake             // of TLS
	Upgrade               // to WebSocket
	partCount
)

// Connecting collects the times of connecting. All methods may be called concurrently.
type Connecting struct {
	mu    sync.Mutex
	times [partCount]*hdrhistogram.Histogram
}

// Note records how long a part has taken.
func (p *Connecting) Note(which Part, d time.Duration) {
	const digits = 2 // two digits keep the histogram small; there are few connections
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.times[which] == nil {
		p.times[which] = hdrhistogram.New(finestLatency, longestLatency, digits)
	}
	p.times[which].RecordValue(min(int64(d), longestLatency))
}

// Take returns the collected times and starts anew.
func (p *Connecting) Take() Parts {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.times
	p.times = [partCount]*hdrhistogram.Histogram{}
	return Parts{Lookup: t[Lookup], Connect: t[Connect], Handshake: t[Handshake], Upgrade: t[Upgrade]}
}
