package suite

import (
	"fmt"
	"slices"
)

// Flaws says which goals and which lines of the README would never be seen again, because they name something that is
// not measured, and which goals are easier than their floors.
func (s *Suite) Flaws() (flaws []string) {
	for _, g := range s.Goals {
		flaws = append(flaws, s.unmeasured(g.Title, g.Scenario, g.Metric, g.Peer, g.Against)...)
		if g.Floor != nil && (g.More && *g.Floor > g.Goal || !g.More && *g.Floor < g.Goal) {
			flaws = append(flaws, g.Title+": the goal is easier than the floor")
		}
	}
	for _, line := range s.Short {
		flaws = append(flaws, s.unmeasured(line.Title, line.Scenario, line.Metric)...)
	}
	return flaws
}

// unmeasured says what of this is not measured; "" is no peer.
func (s *Suite) unmeasured(what, scenario, metric string, peers ...string) (flaws []string) {
	sc := s.Find(scenario)
	if sc == nil {
		return []string{fmt.Sprintf("%s: there is no scenario %s", what, scenario)}
	}
	if !slices.ContainsFunc(sc.Metrics, func(m Metric) bool { return m.Key == metric }) {
		flaws = append(flaws, fmt.Sprintf("%s: %s has no metric %s", what, scenario, metric))
	}
	for _, p := range peers {
		if p != "" && !slices.Contains(sc.Peers, p) {
			flaws = append(flaws, fmt.Sprintf("%s: %s is not measured in %s", what, p, scenario))
		}
	}
	return flaws
}
