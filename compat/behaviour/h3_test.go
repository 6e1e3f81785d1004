package behaviour

import (
	"regexp"
	"strings"
	"testing"
)

// Over HTTP/3 each row behaves as on the same server with HTTP/2, except for the differences that are named.
func TestBehavioursOverHTTP3(t *testing.T) {
	t.Parallel()
	none, _ := h2Fates()
	fates, _ := h3Fates()
	for _, th := range themes() {
		t.Run(th.name, func(t *testing.T) {
			for _, r := range th.rows {
				fate, otherwise := fates[th.name+"/"+r.name]
				if fate.none || none[th.name+"/"+r.name].none {
					continue
				}
				t.Run(r.name, func(t *testing.T) {
					t.Parallel()
					r.judgeOverHTTP3(t, fate, otherwise)
				})
			}
		})
	}
}

func (r *row) judgeOverHTTP3(t *testing.T, fate rowFate, differs bool) {
	model := r.watch(t, true, 2)
	s := newScene(t, true, 3)
	s.model = model
	r.run(s)
	over2, over3 := withoutCut(model.record()), withoutCut(s.record())
	switch {
	case over3 == "\n":
		t.Error("no behaviour was recorded")
	case !differs && over2 != over3:
		t.Errorf("over HTTP/2:\n%s\nover HTTP/3:\n%s", over2, over3)
	case differs && over2 == over3:
		t.Errorf("marked as differing, but over both this is done:\n%s", over3)
	case differs && !strings.Contains(over3, fate.ours):
		t.Errorf("over HTTP/3:\n%s\nthe row wants a part that reads:\n%s", over3, fate.ours)
	}
}

// cutOff is a response that was cut off.
var cutOff = regexp.MustCompile(`(?m)^[0-9]{3} [A-Z].*\n(?:[^0-9\n].*\n)*\(cut off(.*)\)$`)

// withoutCut replaces a response that was cut off by that fact: a stream of QUIC may drop what had arrived of it (RFC 9000
// §3.2).
func withoutCut(record string) string { return cutOff.ReplaceAllString(record, "ended$1") }
