package report

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden holds got against a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", name, got)
	}
}

var (
	cpu  = suite.Metric{Key: "cpu", Title: "CPU µs"}
	rate = suite.Metric{Key: "rate", Title: "requests/s", More: true}
)

// example is a suite and its results: a win, a loss, a peer without nginx, a goal of every kind, two runs.
func example() (*suite.Suite, *result.File) {
	s := &suite.Suite{Name: "s", Title: "Sums", Peers: peer.All, Ours: peer.Ours, Scenarios: []suite.Scenario{
		{Name: "quick", Title: "quick requests", Peers: peer.All, Against: []string{peer.FastHTTP, peer.Std},
			Metrics: []suite.Metric{cpu, rate}},
		{Name: "naps", Title: "naps", About: "They sleep.", Peers: peer.All, Against: []string{peer.Std}, Metrics: []suite.Metric{rate, cpu}},
		{Name: "never", Title: "never measured", Peers: peer.All, Metrics: []suite.Metric{cpu}},
	}, Goals: []suite.Goal{
		{Title: "quick", Scenario: "quick", Metric: "cpu",
			Peer: peer.Native, Against: peer.FastHTTP, Floor: new(1.0), Goal: 0.8},
		{Title: "quick at all", Scenario: "quick", Metric: "cpu", Unit: "µs",
			Peer: peer.NetHTTP, Floor: new(5.0), Goal: 4},
		{Title: "both", Scenario: "quick", Metric: "cpu", Peer: peer.NetHTTP, Against: peer.Native, Goal: 1.2},
		{Title: "naps", Scenario: "naps", Metric: "rate", More: true,
			Peer: peer.Native, Against: peer.Std, Floor: new(1.0), Goal: 1.1},
		{Title: "never", Scenario: "never", Metric: "cpu", Peer: peer.Native, Floor: new(1.0), Goal: 1},
	}, Claims: []suite.Claim{
		{Text: "Quick requests at %s of net/http's CPU time.", Scenario: "quick", Metric: "cpu", Peer: peer.Native, Against: peer.Std},
		{Text: "Never at %s.", Scenario: "never", Metric: "cpu", Peer: peer.Native, Against: peer.Std},
	}, Plot: "quick", Short: []suite.Line{
		{Title: "CPU", Scenario: "quick", Metric: "cpu", Peer: peer.Native, Against: peer.Std},
		{Title: "", Scenario: "quick", Metric: "cpu", Peer: peer.NetHTTP, Against: peer.FastHTTP},
		{Title: "never", Scenario: "never", Metric: "cpu", Peer: peer.Native, Against: peer.Std},
	}}
	f := &result.File{Suite: "s"}
	one := result.Run{Date: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Command: "go run . s", Rounds: 2, Duration: "3s",
		Machine:  result.Machine{CPU: "Some CPU", Cores: 2, Memory: "8 GiB", System: "Linux 6"},
		Versions: map[string]string{"Go": "1.26", "fasthttp": "1.2.3"}}
	two := one
	two.Date, two.Command, two.Rounds = one.Date.Add(time.Hour), "go run . s -only naps", 5
	f.Put(one, result.Scenario{Name: "quick", Skipped: map[string]string{peer.Nginx: "nginx is not installed"},
		Samples: append(round(1, 4, 6, 12, 5), round(2, 4.4, 6.2, 12.5, 4)...)})
	f.Put(two, result.Scenario{Name: "naps", Samples: round(1, 1, 2, 4, 5)})
	return s, f
}

// round is the CPU time of native, nethttp, net/http and fasthttp; the rate follows from it.
func round(n int, figures ...float64) (samples []result.Sample) {
	for i, v := range figures {
		samples = append(samples, result.Sample{Round: n, Peer: peer.All[i], Values: result.Values{
			"cpu": v, "rate": 1e6 / v, suite.LoadCores: 4 / v, suite.Behind: v / 300}})
	}
	return samples
}

// The page of a suite is the golden file.
func TestPage(t *testing.T) {
	s, f := example()
	golden(t, "page.md", Page(s, f))
}

// The short table is the golden file.
func TestShort(t *testing.T) {
	s, f := example()
	golden(t, "short.md", Short([]Results{{s, f}}))
}

// A plot has a bar for each peer that was measured.
func TestPlots(t *testing.T) {
	s, f := example()
	golden(t, "plots.md", Plots([]Results{{s, f}, {s, &result.File{}}}))
	s.Plot = "naps" // a rate: more is better
	golden(t, "plots_rate.md", Plots([]Results{{s, f}}))
}

// The table of losses counts a scenario only if the other peer was better in every round, even if its figure is 0.
func TestLosses(t *testing.T) {
	s, f := example()
	golden(t, "losses.md", Losses([]Results{{s, f}}))
	s.Scenarios[0].Metrics = []suite.Metric{{Key: "allocs", Title: "allocations"}}
	f = &result.File{}
	f.Put(result.Run{}, result.Scenario{Name: "quick", Samples: []result.Sample{
		{Round: 1, Peer: peer.Native, Values: result.Values{"allocs": 0}},
		{Round: 1, Peer: peer.NetHTTP, Values: result.Values{"allocs": 7}},
		{Round: 1, Peer: peer.FastHTTP, Values: result.Values{"allocs": 0}},
	}})
	golden(t, "losses_zero.md", Losses([]Results{{s, f}}))
}

// A claim shows its ratio, and one without results is left out.
func TestClaims(t *testing.T) {
	s, f := example()
	if got, want := Claims([]Results{{s, f}, {s, &result.File{}}}), "- Quick requests at 34 % of net/http's CPU time.\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for v, want := range map[float64]string{1.5: "150 %", 0.544: "54 %", 0.2: "20 %", 0.0753: "1/13", 0: "0 %"} {
		if got := share(v); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// The text for the terminal is the golden file.
func TestTerminal(t *testing.T) {
	s, f := example()
	var b strings.Builder
	quick := f.Find("quick")
	for _, one := range quick.Samples {
		Sample(&b, &s.Scenarios[0], 2, one)
	}
	Scenario(&b, &s.Scenarios[0], quick)
	Goals(&b, s, f)
	golden(t, "terminal.txt", b.String())
}

// Without results the tables say that nothing was measured.
func TestNothingMeasured(t *testing.T) {
	s, _ := example()
	if text := Short([]Results{{s, &result.File{}}}); !strings.Contains(text, "| native ÷ net/http | – |") {
		t.Errorf(`without results: got %q, want "| native ÷ net/http | – |" in it`, text)
	}
	if text := Page(s, &result.File{}); !strings.Contains(text, "| not measured |") || !strings.Contains(text, "not measured 5") {
		t.Errorf("without results: got %q", text)
	}
}

// Rewrite replaces the text between the markers of a page, and leaves a page without one pair of them alone.
func TestRewrite(t *testing.T) {
	const begin, end = "<!-- figures of s: begin -->\n", "<!-- figures of s: end -->\n"
	for _, tc := range []struct{ what, page, want string }{
		{"figures in the middle", "a\n" + begin + "old\n" + end + "b\n", "a\n" + begin + "\nnew\n\n" + end + "b\n"},
		{"other figures stay", begin + end + "<!-- figures of t: begin -->\nt\n",
			begin + "\nnew\n\n" + end + "<!-- figures of t: begin -->\nt\n"},
		{"no markers", "a\n", ""},
		{"no end", begin, ""},
		{"the wrong way round", end + begin, ""},
		{"two pairs", begin + end + begin + end, ""},
	} {
		name := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(name, []byte(tc.page), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Rewrite(name, "s", "new\n")
		got, _ := os.ReadFile(name)
		switch {
		case tc.want != "" && (err != nil || string(got) != tc.want):
			t.Errorf("%s: %q, %v; want %q", tc.what, got, err, tc.want)
		case tc.want == "" && (err == nil || string(got) != tc.page):
			t.Errorf("%s: %q, %v; want an error, and the page as it was", tc.what, got, err)
		}
	}
}

// A peer whose figure is 0 counts as better, though there is no ratio to 0.
func TestNothingIsBetter(t *testing.T) {
	s, _ := example()
	m := suite.Metric{Key: "allocs", Title: "allocations"}
	res := &result.Scenario{Samples: []result.Sample{
		{Round: 1, Peer: peer.Native, Values: result.Values{"allocs": 0}},
		{Round: 1, Peer: peer.NetHTTP, Values: result.Values{"allocs": 7}},
		{Round: 1, Peer: peer.FastHTTP, Values: result.Values{"allocs": 0}},
		{Round: 1, Peer: peer.Std, Values: result.Values{"allocs": 24}},
	}}
	if got := betterThan(s, peer.NetHTTP, m, res); len(got) != 1 || got[0] != "fasthttp 0" {
		t.Errorf("better than 7 are %q, want fasthttp", got)
	}
	if got := betterThan(s, peer.Native, m, res); len(got) > 0 {
		t.Errorf("better than 0 are %q, want nobody", got)
	}
}
