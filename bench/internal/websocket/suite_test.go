package websocket

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

func TestEveryScenarioIsWhole(t *testing.T) {
	s := Suite()
	word := regexp.MustCompile(`^[a-z0-9.-]+$`)
	for i := range s.Scenarios {
		sc := &s.Scenarios[i]
		if s.Find(sc.Name) != sc || !word.MatchString(sc.Name) {
			t.Errorf("%q is not a name, or one of two", sc.Name)
		}
		if sc.Title == "" || sc.Time == nil || sc.Check == nil || sc.Measure == nil || len(sc.Metrics) == 0 {
			t.Errorf("%s lacks something: %+v", sc.Name, sc)
		}
		if !slices.Contains(sc.Peers, wspeer.Blocking) {
			t.Errorf("%s: ours are not among %q", sc.Name, sc.Peers)
		}
		for _, name := range sc.Against {
			if !slices.Contains(sc.Peers, name) {
				t.Errorf("%s is compared with %s, which is not measured", sc.Name, name)
			}
		}
		for _, name := range sc.Peers {
			if !wspeer.Known(name) || sc.Cannot[name] != "" {
				t.Errorf("%s: %s is not known, or cannot", sc.Name, name)
			}
		}
	}
}

// A goal or a line of the README that names something that is not measured would never be seen again.
func TestGoalsAreMeasured(t *testing.T) {
	s := Suite()
	measured := func(what, name, metric string, peers ...string) {
		sc := s.Find(name)
		if sc == nil {
			t.Errorf("%s: there is no scenario %s", what, name)
			return
		}
		if !slices.ContainsFunc(sc.Metrics, func(m suite.Metric) bool { return m.Key == metric }) {
			t.Errorf("%s: %s has no metric %s", what, name, metric)
		}
		for _, p := range peers {
			if p != "" && !slices.Contains(sc.Peers, p) {
				t.Errorf("%s: %s is not measured in %s", what, p, name)
			}
		}
	}
	for _, g := range s.Goals {
		measured(g.Title, g.Scenario, g.Metric, g.Peer, g.Against)
		if g.Floor != nil && (g.More && *g.Floor > g.Goal || !g.More && *g.Floor < g.Goal) {
			t.Errorf("%s: the goal is easier than the floor", g.Title)
		}
	}
	for _, line := range s.Short {
		measured(line.Title, line.Scenario, line.Metric)
	}
}

func TestTheWholeTakesUnderAnHour(t *testing.T) {
	r := &suite.Runner{Rounds: 5, Bench: suite.Bench{Duration: 3 * time.Second}, Missing: func(string) error { return nil }}
	s := Suite()
	var sum time.Duration
	for i := range s.Scenarios {
		sum += r.Time(&s.Scenarios[i])
	}
	if sum > time.Hour {
		t.Errorf("all of it takes %v, want an hour or less", sum)
	}
}
