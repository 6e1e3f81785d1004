package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/client"
	"github.com/shockwave-go/shockwave/bench/internal/clientpeer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
)

// Each client sends, byte for byte, the request of a scenario, and each proxy passes it on.
func TestClientsAskAlike(t *testing.T) {
	for _, name := range clientpeer.All {
		t.Run(name, func(t *testing.T) {
			s := start(t, name, process.Options{Asks: true})
			checked := 0
			for _, sc := range client.Suite().Scenarios {
				if !slices.Contains(sc.Peers, name) {
					continue
				}
				checked++
				if err := sc.Check(s); err != nil {
					t.Errorf("%s: %v", sc.Name, err)
				}
			}
			if checked == 0 {
				t.Error("no scenario measures this peer")
			}
		})
	}
}

// order makes a client do one thing and returns its reply.
func order(t *testing.T, name, plan string) string {
	t.Helper()
	s := start(t, name, process.Options{Asks: true})
	if err := s.Say(plan); err != nil {
		t.Fatal(err)
	}
	said, err := s.Hear(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// A client that gets a wrong response reports it and no figure.
func TestClientsSeeWrongAnswers(t *testing.T) {
	for _, name := range clientpeer.All {
		if name == clientpeer.Nginx {
			continue
		}
		// Of the peers that serve only the native one has the path of the fields; all others respond with 404.
		other := start(t, peer.FastHTTP, process.Options{})
		if said := order(t, name, `{"do":"load","url":"http://`+other.Addr+`","task":"fields","at":3,"duration":1000}`); !strings.Contains(said, "/fields: ") {
			t.Errorf(`%s: got %q, want "/fields: " in it`, name, said)
		}
	}
}

// Each client can hold connections and use them again.
func TestClientsHoldConnections(t *testing.T) {
	native := start(t, peer.Native, process.Options{})
	for _, name := range []string{clientpeer.Client, clientpeer.Transport, clientpeer.Std, clientpeer.FastHTTP} {
		s := start(t, name, process.Options{Asks: true})
		for _, do := range []string{"hold", "reuse"} {
			if err := s.Say(`{"do":"` + do + `","url":"http://` + native.Addr + `","nap":200,"at":50}`); err != nil {
				t.Fatal(err)
			}
			if said, err := s.Hear(time.Minute); err != nil || strings.Contains(said, "error") {
				t.Errorf("%s, %s: got %s, %v", name, do, said, err)
			}
		}
	}
}

// A client that cannot follow a plan says why.
func TestClientsSayWhatTheyCannot(t *testing.T) {
	for plan, want := range map[string]string{
		`{"do":"fly"}`: `no plan`,
		`{"do":"load","url":"http://127.0.0.1:1","task":"fly","at":1}`:  `unknown task`,
		`{"do":"load","url":"http://127.0.0.1:1","task":"text","at":1}`: `refused`,
		`{"do":"hold","url":"http://127.0.0.1:1","nap":1,"at":1}`:       `refused`,
		`{"do":"proxy","url":"http://127.0.0.1:1"}`:                     `is no proxy`,
	} {
		if said := order(t, clientpeer.FastHTTP, plan); !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %q", plan, said, want)
		}
	}
}
