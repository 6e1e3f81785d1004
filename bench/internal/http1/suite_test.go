package http1

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Each scenario measures both of our servers, and none measures nginx over TLS.
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

// The warm-up covers the time between two requests of a connection, so only a steady state is counted.
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
