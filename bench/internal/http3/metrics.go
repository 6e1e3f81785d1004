package http3

import (
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// The metrics of the scenarios.
var (
	cpu        = suite.Metric{Key: suite.CPU, Title: "CPU µs/request"}
	user       = suite.Metric{Key: suite.User, Title: "user"}
	system     = suite.Metric{Key: suite.System, Title: "system"}
	executed   = suite.Metric{Key: suite.Instructions, Title: "instructions"}
	rate       = suite.Metric{Key: suite.Rate, Title: "requests/s", More: true}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	perCore    = suite.Metric{Key: "per_core", Title: "handshakes/s of CPU time", More: true}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines/connection"}
	allocs     = suite.Metric{Key: "allocs", Title: "allocations/request"}
)

// perRequest are the metrics of scenarios in which CPU time is the most important figure.
var perRequest = []suite.Metric{cpu, user, system, executed, rate, p50, p99}

// figures returns those metrics of a load generator's account.
func figures(a *load.Account) result.Values {
	v := suite.Figures(a, "requests")
	v["reconnects"] = float64(a.Reconnects)
	return v
}
