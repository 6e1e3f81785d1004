package suite

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// Numbers are printed with about three digits, and large ones with commas.
func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 7: "7", 0.0043: "0.0043", 0.4321: "0.43", 4.321: "4.32", 43.21: "43.2", 432.1: "432", 4321: "4,321",
		9999.4: "9,999", 12_345: "12,300", 1_234_567: "1,234,600", -1500: "-1,500", 999_960: "1,000,000",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v is printed as %q, want %q", v, got, want)
		}
	}
}

// The order of the peers rotates by one in each round.
func TestEachBeginsOnce(t *testing.T) {
	peers := []string{"a", "b", "c"}
	for round, want := range [][]string{{"a", "b", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"a", "b", "c"}} {
		if got := Turn(peers, round); !reflect.DeepEqual(got, want) {
			t.Errorf("round %d: %q, want %q", round+1, got, want)
		}
	}
	if got := Turn(nil, 3); got != nil {
		t.Errorf("nobody's turn: got %q", got)
	}
}

// Peers that are missing, or cannot do the scenario, are skipped with the reason, if they were asked for.
func TestLineup(t *testing.T) {
	sc := &Scenario{Peers: []string{"a", "b", "absent"}, Cannot: map[string]string{"d": "cannot"}}
	r := &Runner{Rounds: 5, Missing: func(name string) error {
		if name == "absent" {
			return errors.New("is not installed")
		}
		return nil
	}}
	peers, skipped := r.Lineup(sc)
	if want := []string{"a", "b"}; !reflect.DeepEqual(peers, want) {
		t.Errorf("peers are %q, want %q", peers, want)
	}
	if want := map[string]string{"absent": "is not installed", "d": "cannot"}; !reflect.DeepEqual(skipped, want) {
		t.Errorf("skipped are %q, want %q", skipped, want)
	}
	r.Peers = []string{"b"}
	if peers, skipped := r.Lineup(sc); len(peers) != 1 || peers[0] != "b" || len(skipped) > 0 {
		t.Errorf("only b was asked for: got %q, %q", peers, skipped)
	}
}

// The time of a scenario counts its rounds and peers, and peers that run together count once.
func TestTime(t *testing.T) {
	sc := &Scenario{Peers: []string{"a", "b"}, Time: func(d time.Duration) time.Duration { return 2 * d }}
	r := &Runner{Rounds: 5, Bench: Bench{Duration: time.Second}, Missing: func(string) error { return nil }}
	want := func(what string, d time.Duration) {
		t.Helper()
		if got := r.Time(sc); got != d {
			t.Errorf("%s: %v, want %v", what, got, d)
		}
	}
	want("five rounds of two peers", 20*time.Second)
	sc.Rounds = 3
	want("three rounds", 12*time.Second)
	sc.Together = true
	want("both at once", 6*time.Second)
}

// The verdict on a goal follows from the goal, its floor, and whether more is better.
func TestJudge(t *testing.T) {
	f := new(result.File)
	f.Put(result.Run{}, result.Scenario{Name: "s", Samples: []result.Sample{
		{Round: 1, Peer: "ours", Values: result.Values{"cpu": 4, "rate": 9}},
		{Round: 1, Peer: "theirs", Values: result.Values{"cpu": 8, "rate": 10}},
	}})
	for _, tc := range []struct {
		what string
		goal Goal
		want Verdict
	}{
		{"a ratio of 0.5", Goal{Metric: "cpu", Against: "theirs", Floor: new(0.9), Goal: 0.5}, Reached},
		{"between", Goal{Metric: "cpu", Against: "theirs", Floor: new(0.5), Goal: 0.4}, AboveFloor},
		{"too much", Goal{Metric: "cpu", Against: "theirs", Floor: new(0.4), Goal: 0.3}, Missed},
		{"no floor", Goal{Metric: "cpu", Against: "theirs", Goal: 0.3}, NotReached},
		{"an absolute figure", Goal{Metric: "cpu", Floor: new(5.0), Goal: 4}, Reached},
		{"just above", Goal{Metric: "cpu", Floor: new(4.0), Goal: 3.99}, AboveFloor},
		{"more is better", Goal{Metric: "rate", Against: "theirs", More: true, Floor: new(0.9), Goal: 1}, AboveFloor},
		{"more, and missed", Goal{Metric: "rate", Against: "theirs", More: true, Floor: new(0.95), Goal: 1}, Missed},
		{"nobody measured it", Goal{Metric: "none", Floor: new(1.0), Goal: 1}, Unknown},
		{"a scenario that was not run", Goal{Scenario: "x", Metric: "cpu", Goal: 9}, Unknown},
	} {
		tc.goal.Peer = "ours"
		if tc.goal.Scenario == "" {
			tc.goal.Scenario = "s"
		}
		if _, got := tc.goal.Judge(f); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.what, got, tc.want)
		}
	}
}
