package http3

import (
	"testing"
	"time"
)

// Each scenario of the suite uses HTTP/3.
func TestEveryScenarioSpeaksHTTP3(t *testing.T) {
	for _, sc := range Suite().Scenarios {
		if !sc.Options.HTTP3 {
			t.Errorf("%s measures the peers of another suite", sc.Name)
		}
	}
}

// The number of long requests follows the duration, and is at least one.
func TestAtLeastOneLongRequestIsMeasured(t *testing.T) {
	for d, want := range map[time.Duration]int64{time.Millisecond: 1, time.Second: 2, 3 * time.Second: 6} {
		if got := requests(d); got != want {
			t.Errorf("%v: %d requests, want %d", d, got, want)
		}
	}
}
