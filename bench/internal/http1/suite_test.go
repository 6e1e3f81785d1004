package http1

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

func TestOurServersAreInEveryScenario(t *testing.T) {
	for _, sc := range Suite().Scenarios {
		if !slices.Contains(sc.Peers, peer.Native) || !slices.Contains(sc.Peers, peer.NetHTTP) {
			t.Errorf("%s: ours are not among %q", sc.Name, sc.Peers)
		}
		if sc.Options.TLS && slices.Contains(sc.Peers, peer.Nginx) {
			t.Errorf("%s: nginx has no TLS here", sc.Name)
		}
	}
}

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
	if sum > 50*time.Minute {
		t.Errorf("all of it takes %v, want 50 minutes or less", sum)
	}
}

// The time between two requests of a connection must lie within the warm-up, or what is counted is not steady.
func TestRareConnectionsAreWarm(t *testing.T) {
	for _, sc := range rare() {
		every, err := time.ParseDuration(strings.TrimPrefix(sc.Name, "each-"))
		if err != nil {
			t.Fatal(err)
		}
		whole := sc.Time(3 * time.Second)
		if whole < 3*every {
			t.Errorf("%s takes %v, want a warm-up and two requests of each connection", sc.Name, whole)
		}
	}
}
