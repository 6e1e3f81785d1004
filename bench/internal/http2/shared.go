package http2

import (
	"context"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// mixedConns is the number of connections of the scenario mixed. Half of them speak HTTP/1.1.
const mixedConns = 2000

// shared returns the scenarios with fast handlers beside handlers that sleep. This program makes the load itself.
func shared() []suite.Scenario {
	text := traffic{path: peer.PathText}
	one := handled("neighbours", "fast handlers beside 8 that sleep 100 ms, on 1 connection", text)
	one.Metrics = []suite.Metric{p99, p50, cpu, rate}
	one.About = "2,000 requests a second whose handlers do not sleep, evenly spaced. The figures are those of these requests. Server " +
		"and load share both cores, GOMAXPROCS=2."
	one.Missing, one.Measure = nil, measureBeside("-kind", "neighbours")
	one.Time = func(d time.Duration) time.Duration { return d + warmup(d) + 500*time.Millisecond }
	one.Options.Cores = process.Both

	mixed := one
	mixed.Name, mixed.Title = "mixed", "1,000 connections of HTTP/1.1 and 1,000 of HTTP/2 on one port, every twentieth handler sleeps 100 ms"
	mixed.About = "4,000 requests a second whose handlers do not sleep, evenly spaced over 1,900 connections. The figures are those " +
		"of these requests. Server and load share both cores, GOMAXPROCS=2."
	mixed.Measure = measureBeside("-kind", "mixed", "-c", strconv.Itoa(mixedConns))
	mixed.Check = func(s *process.Server) error {
		x := frame.Exchange{Method: "GET", Path: peer.PathText}
		x.ContentType, x.Response, _ = peer.Expect(x.Path, 0)
		if err := x.Once(s.Addr, s.TLS); err != nil {
			return err
		}
		return text.check(s)
	}
	return []suite.Scenario{one, mixed}
}

// warmup returns how long the load runs before it is counted.
func warmup(d time.Duration) time.Duration { return min(d, 500*time.Millisecond) }

// measureBeside returns the figures of the requests whose handlers do not sleep.
func measureBeside(args ...string) func(context.Context, *suite.Bench, *process.Server) (result.Values, error) {
	return func(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
		all := append(args[:len(args):len(args)], "-warmup", warmup(b.Duration).String(), "-d", b.Duration.String())
		a, err := load.RunOwnOn(ctx, process.Both, s, warmup(b.Duration)+b.Duration, all...)
		if err != nil {
			return nil, err
		}
		return paced(a), nil
	}
}
