package behaviour

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// rowFate is the entry of a row in a file of testdata.
type rowFate struct {
	why  string // a group's
	none bool   // the version of HTTP does not have what the row is about
	ours string // a part of what is recorded on ours, if it differs
}

// h2Fates are those of the rows that are not the same on both servers over HTTP/2, and their groups in the file's order; h3Fates of
// those that are not the same over HTTP/2 and HTTP/3.
var (
	h2Fates = sync.OnceValues(func() (map[string]rowFate, []string) { return fatesIn("testdata/http2.txt") })
	h3Fates = sync.OnceValues(func() (map[string]rowFate, []string) { return fatesIn("testdata/http3.txt") })
)

func fatesIn(file string) (fates map[string]rowFate, whys []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	fates = map[string]rowFate{}
	var group rowFate
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "none", "differs":
			group = rowFate{why: rest, none: word == "none"}
			whys = append(whys, rest)
		case "ours":
			group.ours = rest
		case "":
			if id, part, own := strings.Cut(strings.TrimSpace(line), " => "); id != "" {
				fate := group
				if own {
					fate.ours = part
				}
				fate.ours = strings.ReplaceAll(fate.ours, `\n`, "\n")
				fates[id] = fate
			}
		}
	}
	return fates, whys
}

// Over HTTP/2 each row behaves as on net/http's server with HTTP/2, except for the differences that are named.
func TestBehavioursOverHTTP2(t *testing.T) {
	t.Parallel()
	fates, _ := h2Fates()
	for _, th := range themes() {
		t.Run(th.name, func(t *testing.T) {
			for _, r := range th.rows {
				fate, otherwise := fates[th.name+"/"+r.name]
				if fate.none {
					continue
				}
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.judgeOverHTTP2(t, fate, otherwise)
				})
			}
		})
	}
}

func (r *row) judgeOverHTTP2(t *testing.T, fate rowFate, differs bool) {
	std, ours := r.watch(t, false, 2).record(), r.watch(t, true, 2).record()
	switch {
	case std == "\n" || ours == "\n":
		t.Error("no behaviour was recorded")
	case !differs && std != ours:
		t.Errorf("net/http:\n%s\nnethttp:\n%s", std, ours)
	case differs && std == ours:
		t.Errorf("marked as differing, but both servers do this:\n%s", ours)
	case differs && !strings.Contains(ours, fate.ours):
		t.Errorf("nethttp:\n%s\nthe row wants a part that reads:\n%s", ours, fate.ours)
	}
}

// Each row that a file of testdata names exists.
func TestNamesOfFates(t *testing.T) {
	known := map[string]bool{}
	for _, th := range themes() {
		for _, r := range th.rows {
			known[th.name+"/"+r.name] = true
		}
	}
	over2, _ := h2Fates()
	over3, _ := h3Fates()
	for _, fates := range []map[string]rowFate{over2, over3} {
		for id := range fates {
			if !known[id] {
				t.Errorf("there is no row %q", id)
			}
		}
	}
	for id := range over3 {
		if over2[id].none {
			t.Errorf("HTTP/2 has no row %q either", id)
		}
	}
}
