package http1

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/hold"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

const (
	idleConns = 10_000
	idleTimes = 24 // how long connections stay idle, in multiples of a measurement's duration: 72 s by default
)

// manyFiles returns an error if a process may not open enough files for the idle connections.
func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns how much memory each of many idle connections adds to a peer's process.
func measureIdle(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	open := func(n int) (*hold.Holder, error) { return hold.Open(ctx, s, n, peer.PathText) }
	m, err := hold.Idle(ctx, s, idleConns, idleTimes*b.Duration, open)
	if err != nil {
		return nil, err
	}
	values := result.Values{rss.Key: m.RSS}
	if s.Name != peer.Nginx {
		values[heap.Key], values[goroutines.Key] = m.Heap, m.Goroutines
	}
	return values, nil
}

// idleTime returns how long measureIdle takes for a peer that is measured together with three or four others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 15*time.Second }
