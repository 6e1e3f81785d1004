package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
	if names := above(sc, res, suite.Behind, 0.01); len(names) > 0 {
		lines = append(lines, fmt.Sprintf("The rate was not kept with %s: more than 1 %% of the requests were sent late "+
			"or never.", strings.Join(names, ", ")))
	}
	return lines
}

// outrun are the peers that could have answered more than the load generator asked for, which has one core. It needs a
// little for itself when it begins and ends.
func outrun(sc *suite.Scenario, res *result.Scenario) (names []string) {
	if sc.Options.Cores == process.Both {
		return nil
	}
	return above(sc, res, suite.LoadCores, 0.96)
}

// above are the peers with whom the median of a figure is above a limit.
func above(sc *suite.Scenario, res *result.Scenario, key string, limit float64) (names []string) {
	for _, name := range sc.Peers {
		if res.Of(name, key).Median > limit {
			names = append(names, name)
		}
	}
	return names
}
