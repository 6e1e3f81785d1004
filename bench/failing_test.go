package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// imagined is a scenario that measures two peers without looking at them.
func imagined(name string, check, measured error) suite.Scenario {
	return suite.Scenario{
		Name: name, Title: name, Peers: []string{peer.Native, peer.Std}, Metrics: []suite.Metric{{Key: "x", Title: "x"}},
		Options: process.Options{Cores: process.Both},
		Time:    func(d time.Duration) time.Duration { return d },
		Check:   func(*process.Server) error { return check },
		Measure: func(_ context.Context, _ *suite.Bench, s *process.Server) (result.Values, error) {
			return result.Values{"x": float64(len(s.Name))}, measured
		},
	}
}

// measureImagined measures the scenarios and returns what was printed.
func measureImagined(t *testing.T, scenarios ...suite.Scenario) (out, errors string, err error) {
	if err := process.CanPin(); err != nil {
		t.Skip(err)
	}
	var o, e strings.Builder
	opt := measureOptions{rounds: 1, duration: time.Millisecond, only: regexp.MustCompile("")}
	err = measure(t.Context(), &suite.Suite{Name: "imagined", Scenarios: scenarios}, opt, console{nil, &o, &e})
	return o.String(), e.String(), err
}

// A peer that responds differently ends the run before anything is measured.
func TestADifferenceEndsTheRunBeforeItBegins(t *testing.T) {
	out, _, err := measureImagined(t, imagined("good", nil, nil), imagined("other", errors.New("the status is 404"), nil))
	if err == nil || err.Error() != "other: native does not respond as all peers must: the status is 404" {
		t.Errorf("it ended with %v", err)
	}
	if strings.Contains(out, "1/1") {
		t.Errorf("something was measured:\n%s", out)
	}
}

// A scenario that fails has no figures and is named, and the others have theirs.
func TestAFailedScenarioLeavesNoFigures(t *testing.T) {
	together := imagined("good", nil, nil)
	together.Together = true
	out, said, err := measureImagined(t, imagined("bad", nil, errors.New("3 requests failed")), together)
	if err == nil || err.Error() != "no figures of bad" || said != "bench: bad, round 1: native: 3 requests failed\n" {
		t.Errorf("it ended with %v, and said %q", err, said)
	}
	if !strings.Contains(out, "native     6\n") || !strings.Contains(out, "net/http   8\n") {
		t.Errorf("the other scenario has no table:\n%s", out)
	}
	if strings.Contains(out, "\nbad\n        ") {
		t.Errorf("the failed scenario has a table:\n%s", out)
	}
}
