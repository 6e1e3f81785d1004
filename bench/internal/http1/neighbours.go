package http1

import (
	"context"
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"

	"github.com/shockwave-go/shockwave/bench/internal/load"
)

// sleeper is a connection on which a handler always sleeps; neighbours are the other connections, which are measured.
var (
	sleeper    = traffic{path: "/sleep?ms=100", conns: 1, cores: process.Both}
	neighbours = traffic{path: textTraffic(63).path, conns: 63, rate: 5000, cores: process.Both}
)

// measureNeighbours returns the figures of the neighbours.
func measureNeighbours(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	background, err := sleeper.plan(b)
	if err != nil {
		return nil, err
	}
	// The sleeper runs before, during and after the measurement of its neighbours.
	background.Warmup, background.Duration = 0, warmup(b.Duration)+b.Duration+2*time.Second
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		*load.Account
		error
	}
	slept := make(chan outcome, 1)
	go func() {
		a, err := b.Load.Run(ctx, s, background)
		slept <- outcome{a, err}
	}()
	values, err := neighbours.measure(ctx, b, s)
	if err != nil {
		cancel()
		<-slept
		return nil, err
	}
	first := <-slept
	if first.error != nil {
		return nil, first.error
	}
	if first.Latency.P50 < 100_000 {
		return nil, errors.New("the handler that should sleep does not")
	}
	return values, nil
}

func neighboursTime(d time.Duration) time.Duration { return neighbours.time(d) + 2*time.Second }
