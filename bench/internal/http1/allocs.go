package http1

import (
	"context"
	"math"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// countedRequests is large enough that other, occasional allocations in the process do not matter.
const countedRequests = 20_000

// measureAllocs returns how many objects the whole process of a peer allocates per request.
func measureAllocs(ctx context.Context, _ *suite.Bench, s *process.Server) (result.Values, error) {
	t := browserTraffic(1)
	x := t.exchange()
	c, err := frame.Dial(s.Addr, s.TLS)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := repeat(ctx, c, &x, 1000); err != nil {
		return nil, err
	}
	before, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	if err := repeat(ctx, c, &x, countedRequests); err != nil {
		return nil, err
	}
	after, err := s.Ask(peer.WordCounts)
	if err != nil {
		return nil, err
	}
	each := float64(after.Mallocs-before.Mallocs) / countedRequests
	return result.Values{allocs.Key: math.Round(100*each) / 100}, nil // smaller fractions are not caused by requests
}

func repeat(ctx context.Context, c *frame.Conn, x *frame.Exchange, n int) error {
	for range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.Do(x); err != nil {
			return err
		}
	}
	return nil
}
