package muxtree

import (
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server/internal/params"
)

// FuzzMux checks that a search fails for no path, and that no value has dots between slashes.
func FuzzMux(f *testing.F) {
	var root Node[int]
	for _, p := range []string{"/{a}/{b}", "/{a}/x/{rest...}", "/y/", "/{$}", "GET /{a}"} {
		method, path, ok := strings.Cut(p, " ")
		if !ok {
			method, path = "", p
		}
		if err := root.Add(method, path, 1); err != nil {
			f.Fatal(err)
		}
	}
	for _, s := range []string{"/", "/a/b", "/a/x/%2e%2E/c", "/y/%2f..", "/%"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if path == "" || path[0] != '/' || !IsClean([]byte(path)) {
			return
		}
		var to Match
		search := Search[int]{To: &to, Decoder: new(params.Decoder), Method: []byte("GET")}
		found := search.Find(&root, []byte(path))
		if found == nil {
			return
		}
		if len(to.Values) != len(found.Names) {
			t.Fatalf("%q: %d values for %d names", path, len(to.Values), len(found.Names))
		}
		for _, v := range to.Values {
			for i := range v {
				if (i == 0 || v[i-1] == '/') && isDots(v[i:]) {
					t.Errorf("%q gives out %q", path, v)
				}
			}
		}
	})
}
