package http2

import (
	"github.com/shockwave-go/shockwave/bench/internal/h2load"
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// The metrics of the scenarios.
var (
	cpu        = suite.Metric{Key: suite.CPU, Title: "CPU µs/request"}
	user       = suite.Metric{Key: suite.User, Title: "user"}
	system     = suite.Metric{Key: suite.System, Title: "system"}
	rate       = suite.Metric{Key: suite.Rate, Title: "requests/s", More: true}
	mean       = suite.Metric{Key: "mean_us", Title: "mean µs"}
	slowest    = suite.Metric{Key: "slowest_us", Title: "slowest µs"}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
	allocs     = suite.Metric{Key: "allocs", Title: "allocations/request"}
)

// perRequest are the metrics of scenarios in which CPU time is the most important figure.
var perRequest = []suite.Metric{cpu, user, system, rate, mean, slowest}

// figures returns those metrics of an account of h2load.
func figures(a *h2load.Account) result.Values {
	v := suite.Figures(&a.Account, "requests")
	delete(v, p50.Key) // h2load does not report percentiles
	delete(v, p99.Key)
	v[mean.Key], v[slowest.Key] = float64(a.Mean.Nanoseconds())/1e3, float64(a.Slowest.Nanoseconds())/1e3
	return v
}

// paced returns the figures of requests that are sent at a fixed rate.
func paced(a *load.Account) result.Values {
	v := suite.Figures(a, "requests")
	v["late"] = float64(a.Late)
	v[suite.Behind] = float64(a.Late) / float64(a.Requests)
	return v
}
