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
	idleTimes = 24 // measurements' durations that connections stay idle: 72 s by default
)

// manyFiles says that a process may not open as many files as there are connections, or nil.
func manyFiles() error { return hold.ManyFiles(idleConns) }

// measureIdle returns by how much a peer's memory grows for each of many connections that have been idle for a while.
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

// idleTime is how long measureIdle takes for a peer that is measured beside three or four others.
func idleTime(d time.Duration) time.Duration { return idleTimes*d + 15*time.Second }
