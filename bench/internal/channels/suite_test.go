package channels

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

func TestNothingIsWrong(t *testing.T) {
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
