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

func TestGoalsAreMeasured(t *testing.T) {
	for _, flaw := range Suite().Flaws() {
		t.Error(flaw)
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
