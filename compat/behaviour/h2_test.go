package behaviour

import (
	"os"
	"strings"
	"sync"
	"testing"
)

// h2Fate is what testdata/http2.txt says of a row.
type h2Fate struct {
	why  string // a group's
	none bool   // HTTP/2 does not have what the row is about
	ours string // a part of what is recorded on ours, if it differs
}

// h2Fates are those of the rows that are not the same on both servers over HTTP/2, and their groups in the file's order.
var h2Fates = sync.OnceValues(func() (fates map[string]h2Fate, whys []string) {
	text, err := os.ReadFile("testdata/http2.txt")
	if err != nil {
		panic(err)
	}
	fates = map[string]h2Fate{}
	var group h2Fate
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "none", "differs":
			group = h2Fate{why: rest, none: word == "none"}
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
})

// TestBehavioursOverHTTP2 plays the rows with clients of HTTP/2. What is right is what net/http's server does: what a row
// wants of HTTP/1 is not asked.
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

func (r *row) judgeOverHTTP2(t *testing.T, fate h2Fate, differs bool) {
	std, ours := r.watch(t, false, true), r.watch(t, true, true)
	switch {
	case std == "\n" || ours == "\n":
		t.Error("nothing was noted")
	case !differs && std != ours:
		t.Errorf("net/http:\n%s\nnethttp:\n%s", std, ours)
	case differs && std == ours:
		t.Errorf("marked as differing, but both servers do this:\n%s", ours)
	case differs && !strings.Contains(ours, fate.ours):
		t.Errorf("nethttp:\n%s\nthe row wants a part that reads:\n%s", ours, fate.ours)
	}
}

// TestNamesOverHTTP2: what the file names is there.
func TestNamesOverHTTP2(t *testing.T) {
	known := map[string]bool{}
	for _, th := range themes() {
		for _, r := range th.rows {
			known[th.name+"/"+r.name] = true
		}
	}
	fates, _ := h2Fates()
	for id := range fates {
		if !known[id] {
			t.Errorf("http2.txt: there is no row %q", id)
		}
	}
}
