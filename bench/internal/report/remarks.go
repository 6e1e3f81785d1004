package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// remarks are what a reader must know about a table: who is not in it and why, and whose rate is not its own.
func remarks(sc *suite.Scenario, res *result.Scenario) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(res.Skipped)) {
		lines = append(lines, fmt.Sprintf("Not measured: %s %s.", name, strings.TrimPrefix(res.Skipped[name], name+" ")))
	}
	if names := outrun(sc, res); len(names) > 0 {
		lines = append(lines, fmt.Sprintf("The load generator was at its limit with %s: the rate is the generator's.",
			strings.Join(names, ", ")))
	}
	return lines
}

// outrun are the peers that could have answered more than the load generator asked for, which has one core. It needs a
// little for itself when it begins and ends.
func outrun(sc *suite.Scenario, res *result.Scenario) (names []string) {
	const limit = 0.96
	if sc.Options.Cores == process.Both {
		return nil
	}
	for _, name := range peer.All {
		if res.Of(name, suite.LoadCores).Median > limit {
			names = append(names, name)
		}
	}
	return names
}
