package suite

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Flaws names each inconsistency of a suite, and nothing else.
func TestFlaws(t *testing.T) {
	rate := Metric{Key: "rate", More: true}
	whole := Scenario{
		Name: "fast", Title: "Fast", Peers: []string{"ours", "theirs"}, Metrics: []Metric{rate},
		Time:    func(d time.Duration) time.Duration { return d },
		Check:   func(*process.Server) error { return nil },
		Measure: func(context.Context, *Bench, *process.Server) (result.Values, error) { return nil, nil },
	}
	odd := whole
	odd.Name, odd.Peers, odd.Against = "Odd one", []string{"nobody"}, []string{"theirs"}
	s := &Suite{
		Peers: []string{"ours", "theirs"}, Ours: []string{"ours"},
		Scenarios: []Scenario{whole, odd},
		Goals: []Goal{
			Ratio("good", "fast", rate, "ours", "theirs", 1, 2),
			Figure("without a floor", "fast", rate, "/s", "ours", NoFloor, 2),
			Ratio("easy", "fast", rate, "ours", "theirs", 2, 1),
			Ratio("alone", "fast", rate, "ours", "nobody", 1, 1),
			Figure("nowhere", "slow", rate, "", "ours", 1, 1),
		},
		Short:  []Line{{"good", "fast", "rate", "ours", "theirs"}, {"unknown", "fast", "cpu", "ours", "theirs"}},
		Claims: []Claim{{"%s of good", "fast", "rate", "ours", "theirs"}, {"%s of nobody", "fast", "rate", "ours", "nobody"}},
	}
	want := []string{
		"Odd one: is not a name, or one of two", `Odd one: ours are not among ["nobody"]`,
		"Odd one: is compared with theirs, which is not measured", "Odd one: nobody is not known, or cannot",
		"easy: the goal is easier than the floor", "alone: nobody is not measured in fast",
		"nowhere: there is no scenario slow", "unknown: fast has no metric cpu",
		"%s of nobody: nobody is not measured in fast",
	}
	if got := s.Flaws(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
