package http3

import (
	"context"
	"math"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	idleConns = 1000
	idleTimes = 24 // how long connections stay idle, in multiples of a measurement's duration: 72 s by default

	// countedRequests is large enough that other, occasional allocations in the process do not matter.
	countedRequests = 20_000
)

// manyFiles returns an error if a process may not open enough files for the idle connections, each of which has a socket of its
// own at the client.
func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns what each of many idle connections adds to a peer's process.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.OpenHTTP3(ctx, s, n, peer.PathText) }
	m, err := hold.Idle(ctx, s, idleConns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	values := result.Values{rss.Key: m.RSS}
	if !s.Foreign() {
		values[heap.Key], values[goroutines.Key] = m.Heap, rounded(m.Goroutines/idleConns)
	}
	return values, nil
}

// idleTime returns how long measureIdle takes for a peer that is measured together with the others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 20*time.Second }

// measureAllocs returns how many objects the whole process of a peer allocates per request.
func measureAllocs(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	p := load.Plan{Path: peer.PathText, HTTP3: true, Conns: 1, Streams: 100, Cores: process.Second, Requests: 1000}
	if _, err := b.Load.Run(ctx, s, p); err != nil {
		return nil, err
	}
	before, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	p.Requests = countedRequests
	if _, err := b.Load.Run(ctx, s, p); err != nil {
		return nil, err
	}
	after, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	return result.Values{allocs.Key: rounded(float64(after.Mallocs-before.Mallocs) / countedRequests)}, nil
}

// rounded returns v with two decimals: smaller fractions are not caused by requests or connections.
func rounded(v float64) float64 { return math.Round(100*v) / 100 }

// measureHandshakes loads a peer with new connections and returns how many handshakes it could do per second of CPU time.
func measureHandshakes(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	a, err := load.RunOwn(ctx, s, warmup(b.Duration)+b.Duration, "-kind", "handshakes", "-c", "32",
		"-warmup", warmup(b.Duration).String(), "-d", b.Duration.String())
	if err != nil {
		return nil, err
	}
	v := figures(a)
	delete(v, p50.Key) // this load has no latencies
	delete(v, p99.Key)
	v[perCore.Key] = 1e6 / v[cpu.Key]
	return v, nil
}
