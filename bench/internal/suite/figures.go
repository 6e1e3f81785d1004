package suite

import (
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Keys of the metrics that every load generator reports.
const (
	CPU    = "cpu_us" // the server's CPU time per operation; so are User and System
	User   = "user_us"
	System = "system_us"
	Rate   = "rate" // operations per second
	P50    = "p50_us"
	P99    = "p99_us"

	Instructions = "instructions" // per operation, of the server and of the kernel on its behalf; absent if they cannot be counted
)

// Figures returns those metrics of an account, and how much of a core the load generator used. operations is the key of the
// number of operations: "requests", for example.
func Figures(a *load.Account, operations string) result.Values {
	each := 1e6 / float64(a.Requests)
	v := result.Values{
		CPU:        (a.Target.User + a.Target.System) * each,
		User:       a.Target.User * each,
		System:     a.Target.System * each,
		Rate:       a.Rate,
		P50:        a.Latency.P50,
		P99:        a.Latency.P99,
		operations: float64(a.Requests), "elapsed_s": a.Elapsed,
		LoadCores: (a.CPU.User + a.CPU.System) / a.Elapsed,
	}
	if n := a.Target.UserInstructions + a.Target.KernelInstructions; n > 0 {
		v[Instructions] = float64(n) / float64(a.Requests)
	}
	return v
}
