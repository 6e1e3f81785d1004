package reqhead

import (
	"strings"
	"testing"
)

// The special fields are recognized in any case, and no others.
func TestKindOf(t *testing.T) {
	special := map[string]bool{}
	for _, s := range specialFields {
		special[s.name] = true
		for _, name := range []string{s.name, strings.ToUpper(s.name)} {
			if k := kindOf([]byte(name)); k != s.kind {
				t.Errorf("%s: %d, want %d", name, k, s.kind)
			}
		}
		for _, name := range []string{s.name[1:], s.name + "s", "x" + s.name[1:]} {
			if k := kindOf([]byte(name)); k != ordinary && !special[name] {
				t.Errorf("%s: %d, want an ordinary field", name, k)
			}
		}
	}
	for n := range 2 * len(byLength) {
		if k := kindOf([]byte(strings.Repeat("x", n))); k != ordinary {
			t.Errorf("a name of %d bytes: got %d, want %d", n, k, ordinary)
		}
	}
}
