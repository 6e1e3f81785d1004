package client

import (
	"math"

	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// The metrics of the scenarios.
var (
	cpu        = suite.Metric{Key: suite.CPU, Title: "CPU µs/request"}
	user       = suite.Metric{Key: suite.User, Title: "user"}
	system     = suite.Metric{Key: suite.System, Title: "system"}
	rate       = suite.Metric{Key: suite.Rate, Title: "requests/s", More: true}
	allocs     = suite.Metric{Key: "allocs", Title: "allocations/request"}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
)

// perRequest are the metrics of the clients, passedOn those of the proxies.
var (
	perRequest = []suite.Metric{cpu, user, system, allocs, rate}
	passedOn   = []suite.Metric{cpu, user, system, rate, p50, p99}
)

// figures returns those metrics of a client's account. serverCPU is the server's CPU time during the measurement, in seconds.
func figures(a *clientpeer.Account, serverCPU float64) result.Values {
	each := 1e6 / float64(a.Requests)
	return result.Values{
		cpu.Key:        (a.User + a.System) * each,
		user.Key:       a.User * each,
		system.Key:     a.System * each,
		rate.Key:       float64(a.Requests) / a.Elapsed,
		allocs.Key:     math.Round(100*float64(a.Mallocs)/float64(a.Requests)) / 100, // smaller fractions are not caused by requests
		"requests":     float64(a.Requests),
		"elapsed_s":    a.Elapsed,
		"server_cores": serverCPU / a.Elapsed,
	}
}
