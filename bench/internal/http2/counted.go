package http2

import (
	"context"
	"math"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/h2load"
	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	idleConns = 10_000
	idleTimes = 24 // how long connections stay idle, in multiples of a measurement's duration: 72 s by default

	// countedRequests is large enough that other, occasional allocations in the process do not matter.
	countedRequests = 50_000
)

// manyFiles returns an error if a process may not open enough files for the idle connections.
func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns how much memory each of many idle connections adds to a peer's process.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.OpenHTTP2(ctx, s, n, peer.PathText) }
	m, err := hold.Idle(ctx, s, idleConns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	values := result.Values{rss.Key: m.RSS}
	if !s.Foreign() {
		values[heap.Key], values[goroutines.Key] = m.Heap, m.Goroutines
	}
	return values, nil
}

// idleTime returns how long measureIdle takes for a peer that is measured together with the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }

// measureAllocs returns how many objects the whole process of a peer allocates per request.
func measureAllocs(ctx context.Context, _ *suite.Bench, s *process.Server) (result.Values, error) {
	p := h2load.Plan{Path: peer.PathText, Conns: 1, Streams: 100, Response: len(peer.Greeting)}
	if err := p.Send(ctx, s, 1000); err != nil {
		return nil, err
	}
	before, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	if err := p.Send(ctx, s, countedRequests); err != nil {
		return nil, err
	}
	after, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	each := float64(after.Mallocs-before.Mallocs) / countedRequests
	return result.Values{allocs.Key: math.Round(100*each) / 100}, nil // smaller fractions are not caused by requests
}
