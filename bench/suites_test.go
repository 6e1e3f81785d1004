package main

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// Every suite is on the pages.
func TestPublished(t *testing.T) {
	if got, want := slices.Sorted(slices.Values(published)), slices.Sorted(maps.Keys(suites)); !slices.Equal(got, want) {
		t.Errorf("published are %q, want %q", got, want)
	}
}

// Every suite is consistent, and takes an hour or less with the default flags.
func TestSuites(t *testing.T) {
	for name, newSuite := range suites {
		t.Run(name, func(t *testing.T) {
			s := newSuite()
			for _, flaw := range s.Flaws() {
				t.Error(flaw)
			}
			r := &suite.Runner{Rounds: 5, Bench: suite.Bench{Duration: 3 * time.Second}, Missing: func(string) error { return nil }}
			var sum time.Duration
			for i := range s.Scenarios {
				sum += r.Time(&s.Scenarios[i])
			}
			if sum > time.Hour {
				t.Errorf("all of it takes %v, want an hour or less", sum)
			}
		})
	}
}
