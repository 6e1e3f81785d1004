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

// remarks returns the sentences below a table: the peers that are missing from it and why, and the peers whose rate was
// limited by the load generator.
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

// outrun returns the peers that could have served more requests than the load generator could send with its one core. The
// limit is below 1 because the generator is not busy while it starts and ends.
func outrun(sc *suite.Scenario, res *result.Scenario) (names []string) {
	if sc.Options.Cores == process.Both {
		return nil
	}
	return above(sc, res, suite.LoadCores, 0.96)
}

// above returns the peers for which the median of a figure is above a limit.
func above(sc *suite.Scenario, res *result.Scenario, key string, limit float64) (names []string) {
	for _, name := range sc.Peers {
		if res.Of(name, key).Median > limit {
			names = append(names, name)
		}
	}
	return names
}
