package suite

import (
	"slices"
	"testing"
)

func TestFlaws(t *testing.T) {
	rate := Metric{Key: "rate", More: true}
	s := &Suite{
		Scenarios: []Scenario{{Name: "fast", Peers: []string{"ours", "theirs"}, Metrics: []Metric{rate}}},
		Goals: []Goal{
			Ratio("good", "fast", rate, "ours", "theirs", 1, 2),
			Figure("without a floor", "fast", rate, "/s", "ours", NoFloor, 2),
			Ratio("easy", "fast", rate, "ours", "theirs", 2, 1),
			Ratio("alone", "fast", rate, "ours", "nobody", 1, 1),
			Figure("nowhere", "slow", rate, "", "ours", 1, 1),
		},
		Short: []Line{{"good", "fast", "rate"}, {"unknown", "fast", "cpu"}},
	}
	want := []string{
		"easy: the goal is easier than the floor", "alone: nobody is not measured in fast",
		"nowhere: there is no scenario slow", "unknown: fast has no metric cpu",
	}
	if got := s.Flaws(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
