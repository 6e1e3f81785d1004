package suite

import (
	"fmt"
	"regexp"
	"slices"
)

// Flaws returns the mistakes in a suite: incomplete scenarios; goals, claims and lines of the summary and a plot about something that
// is not measured, which would silently never show a figure; and goals that are easier than their floors.
func (s *Suite) Flaws() (flaws []string) {
	for i := range s.Scenarios {
		flaws = append(flaws, s.lacks(&s.Scenarios[i])...)
	}
	for _, g := range s.Goals {
		flaws = append(flaws, s.unmeasured(g.Title, g.Scenario, g.Metric, g.Peer, g.Against)...)
		if g.Floor != nil && (g.More && *g.Floor > g.Goal || !g.More && *g.Floor < g.Goal) {
			flaws = append(flaws, g.Title+": the goal is easier than the floor")
		}
	}
	if s.Plot != "" && s.Find(s.Plot) == nil {
		flaws = append(flaws, s.Plot+": is to be drawn, but is no scenario")
	}
	for _, line := range s.Short {
		flaws = append(flaws, s.unmeasured(line.Title, line.Scenario, line.Metric, line.Peer, line.Against)...)
	}
	for _, c := range s.Claims {
		flaws = append(flaws, s.unmeasured(c.Text, c.Scenario, c.Metric, c.Peer, c.Against)...)
	}
	return flaws
}

// scenarioName matches the valid names of scenarios.
var scenarioName = regexp.MustCompile(`^[a-z0-9.-]+$`)

// lacks returns the mistakes in a scenario.
func (s *Suite) lacks(sc *Scenario) (flaws []string) {
	say := func(format string, args ...any) {
		flaws = append(flaws, fmt.Sprintf("%s: ", sc.Name)+fmt.Sprintf(format, args...))
	}
	if s.Find(sc.Name) != sc || !scenarioName.MatchString(sc.Name) {
		say("is not a name, or one of two")
	}
	if sc.Title == "" || sc.Time == nil || sc.Check == nil || sc.Measure == nil || len(sc.Metrics) == 0 {
		say("lacks something: %+v", sc)
	}
	if !slices.ContainsFunc(s.Ours, func(name string) bool { return slices.Contains(sc.Peers, name) }) {
		say("ours are not among %q", sc.Peers)
	}
	for _, name := range sc.Against {
		if !slices.Contains(sc.Peers, name) {
			say("is compared with %s, which is not measured", name)
		}
	}
	for _, name := range sc.Peers {
		if !slices.Contains(s.Peers, name) || sc.Cannot[name] != "" {
			say("%s is not known, or cannot", name)
		}
	}
	return flaws
}

// unmeasured returns an error text for each of scenario, metric and peers that is not measured. Peers that are "" are ignored.
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
