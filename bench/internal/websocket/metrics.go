package websocket

import (
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wsmemory"
)

// The metrics of the scenarios.
var (
	cpu         = suite.Metric{Key: suite.CPU, Title: "CPU µs/message"}
	user        = suite.Metric{Key: suite.User, Title: "user"}
	system      = suite.Metric{Key: suite.System, Title: "system"}
	rate        = suite.Metric{Key: suite.Rate, Title: "messages/s", More: true}
	p50         = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99         = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	executed    = suite.Metric{Key: suite.Instructions, Title: "instructions"}
	delivery    = suite.Metric{Key: cpu.Key, Title: "CPU µs/delivery"}
	deliveries  = suite.Metric{Key: rate.Key, Title: "deliveries/s", More: true}
	toAll       = suite.Metric{Key: p50.Key, Title: "p50 µs until all have it"}
	rss         = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap        = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines  = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
	nanoseconds = suite.Metric{Key: wsmemory.Nanoseconds, Title: "ns/message"}
	allocs      = suite.Metric{Key: wsmemory.Allocs, Title: "allocations/message"}
	writes      = suite.Metric{Key: wsmemory.Writes, Title: "writes/message"}
	other       = suite.Metric{Key: wsmemory.Other, Title: "the other's ns"}
	speed       = suite.Metric{Key: wsmemory.Speed, Title: "speed ÷ the other's", More: true}
)

// perMessage are the metrics of echoes.
var perMessage = []suite.Metric{cpu, user, system, executed, rate, p50, p99}

// figures returns those metrics of a load generator's account.
func figures(a *load.Account) result.Values { return suite.Figures(a, "messages") }
