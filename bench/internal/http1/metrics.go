package http1

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
	rate       = suite.Metric{Key: suite.Rate, Title: "requests/s", More: true}
	p50        = suite.Metric{Key: suite.P50, Title: "p50 µs"}
	p99        = suite.Metric{Key: suite.P99, Title: "p99 µs"}
	executed   = suite.Metric{Key: suite.Instructions, Title: "instructions"}
	perCore    = suite.Metric{Key: "per_core", Title: "handshakes/s of CPU time", More: true}
	rss        = suite.Metric{Key: "rss_bytes", Title: "RSS bytes/connection"}
	heap       = suite.Metric{Key: "heap_bytes", Title: "heap bytes/connection"}
	goroutines = suite.Metric{Key: "goroutines", Title: "goroutines in all"}
	syscalls   = suite.Metric{Key: "syscalls", Title: "system calls/request"}
	receiving  = suite.Metric{Key: "receiving", Title: "receiving"}
	sending    = suite.Metric{Key: "sending", Title: "sending"}
	waiting    = suite.Metric{Key: "waiting", Title: "epoll"}
	others     = suite.Metric{Key: "others", Title: "others"}
	allocs     = suite.Metric{Key: "allocs", Title: "allocations/request"}
)

// The metrics that compare our load generator with wrk.
var (
	cpuOfWrk  = suite.Metric{Key: "cpu_of_wrk", Title: "CPU ÷ wrk"}
	rateOfWrk = suite.Metric{Key: "rate_of_wrk", Title: "rate ÷ wrk", More: true}
	ownCPU    = suite.Metric{Key: "own_cpu_us", Title: "CPU µs/request"}
	wrkCPU    = suite.Metric{Key: "wrk_cpu_us", Title: "wrk's"}
	ownRate   = suite.Metric{Key: "own_rate", Title: "requests/s", More: true}
	wrkRate   = suite.Metric{Key: "wrk_rate", Title: "wrk's", More: true}
)

// perRequest are the metrics of scenarios in which CPU time is the most important figure.
var perRequest = []suite.Metric{cpu, user, system, executed, rate, p50, p99}

// figures returns those metrics of a load generator's account. It adds figures that show whether the generator kept its
// rate.
func figures(a *load.Account) result.Values {
	v := suite.Figures(a, "requests")
	v["late"], v["unsent"], v["reconnects"] = float64(a.Late), float64(a.Unsent), float64(a.Reconnects)
	v[suite.Behind] = float64(a.Late+a.Unsent) / float64(a.Requests+a.Unsent)
	return v
}
