package suite

import (
	"github.com/shockwave-go/shockwave/bench/internal/load"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Keys of the metrics that every account of a load generator has.
const (
	CPU    = "cpu_us" // of the server, for each operation, like User and System
	User   = "user_us"
	System = "system_us"
	Rate   = "rate" // operations per second
	P50    = "p50_us"
	P99    = "p99_us"

	Instructions = "instructions" // of the server and of the kernel for it, for each operation; where they can be counted
)

// Figures are what an account says in those metrics, and beside them how much of a core the generator took. operations
// is what it counts: requests, for example.
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
