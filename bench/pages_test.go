package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/shockwave-go/shockwave/bench/internal/result"
)

// The figures on the pages are those in results/, word for word.
func TestThePagesSayWhatWasMeasured(t *testing.T) {
	root := t.TempDir()
	pages := []string{"README.md", "docs/benchmarks.md"}
	var kept []string
	for name := range suites {
		if _, err := os.Stat(filepath.Join("results", name+".json")); err == nil {
			kept = append(kept, "bench/results/"+name+".json")
			pages = append(pages, figures(name))
		}
	}
	if len(kept) == 0 {
		t.Fatal("nothing has been measured")
	}
	for _, name := range append(pages, kept...) {
		b, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range kept {
		f, err := result.Read(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := rewrite(suites[f.Suite](), f, root); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range pages {
		was, _ := os.ReadFile(filepath.Join("..", name))
		if is, _ := os.ReadFile(filepath.Join(root, name)); string(is) != string(was) {
			t.Errorf("%s is not what `go run . report -json results/… -markdown` writes", name)
		}
	}
}

// A claim holds in every round: the peer it is compared with was better in none.
func TestClaimsHoldInEveryRound(t *testing.T) {
	for name, newSuite := range suites {
		f, err := result.Read(filepath.Join("results", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range newSuite().Claims {
			res := f.Find(c.Scenario)
			if res == nil {
				t.Errorf("%s: nobody has measured %s", c.Text, c.Scenario)
			} else if r := res.Ratio(c.Peer, c.Against, c.Metric); r.Max >= 1 {
				t.Errorf("%s: the ratio is %.2f [%.2f–%.2f]", c.Text, r.Median, r.Min, r.Max)
			}
		}
	}
}
