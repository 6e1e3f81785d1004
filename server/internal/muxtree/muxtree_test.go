package muxtree

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server/internal/params"
)

// tree returns a tree of patterns, whose handlers are the patterns themselves.
func tree(t *testing.T, patterns ...string) *Node[string] {
	root := new(Node[string])
	for _, p := range patterns {
		method, path, ok := strings.Cut(p, " ")
		if !ok {
			method, path = "", p
		}
		if err := root.Add(method, path, p); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
	}
	return root
}

// TestFind: a path finds the most special route that matches it, segment by segment, with the decoded values of its names.
func TestFind(t *testing.T) {
	root := tree(t, "/{$}", "/a", "/{x}", "/a/b", "/{x}/{y}", "/{x}/c/{$}", "/deep/{x}/end", "/{x}/other/{rest...}", "/files/",
		"POST /m", "GET /m", "GET /g", "/g", "HEAD /h", "GET /h", "PUT /p")
	var to Match
	for request, want := range map[string]string{
		"GET /":               "/{$}",
		"GET /a":              "/a",
		"GET /b":              "/{x} b",
		"GET /%62":            "/{x} b",
		"GET /a/b":            "/a/b",
		"GET /a/x":            "/{x}/{y} a x",
		"GET /a/c/":           "/{x}/c/{$} a",
		"GET /a/":             "none",
		"GET /deep/1/end":     "/deep/{x}/end 1",
		"GET /deep/other/end": "/deep/{x}/end other",
		"GET /deep/other/x/y": "/{x}/other/{rest...} deep x/y",
		"GET /deep/other/":    "/{x}/other/{rest...} deep ",
		"GET /files/":         "/files/ ",
		"GET /files/x/y%20z":  "/files/ x/y z",
		"GET /files/x/%2e%2e": "none",
		"GET /%2e":            "none",
		"GET /%2f%2e":         "none",
		"GET /%2":             "none",
		"POST /m":             "POST /m",
		"HEAD /m":             "GET /m",
		"PUT /m":              "/{x} m",
		"POST /g":             "/g",
		"HEAD /g":             "GET /g",
		"HEAD /h":             "HEAD /h",
		"GET /p":              "/{x} p",
	} {
		method, path, _ := strings.Cut(request, " ")
		to.Reset()
		s := Search[string]{To: &to, Decoder: new(params.Decoder), Method: []byte(method)}
		got := "none"
		if r := s.Find(root, []byte(path)); r != nil {
			got = r.Handler
			for _, v := range to.Values {
				got += fmt.Sprintf(" %s", v)
			}
		} else if len(to.Values) != 0 {
			t.Errorf("%s: the values %q are left over", request, to.Values)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", request, got, want)
		}
	}
}

// TestCollect: the methods of all routes of a path are collected, with HEAD where there is GET.
func TestCollect(t *testing.T) {
	root := tree(t, "GET /a", "PUT /a", "POST /{x}", "DELETE /{rest...}", "GET /b")
	var to Match
	s := Search[string]{To: &to, Decoder: new(params.Decoder), Method: []byte("PATCH"), Collecting: true}
	if s.Find(root, []byte("/a")) != nil {
		t.Error("a route was found")
	}
	slices.Sort(s.Allow)
	if got := strings.Join(s.Allow, " "); got != "DELETE GET HEAD POST PUT" {
		t.Errorf("%s", got)
	}
}

// TestBadPatterns: a pattern that is malformed, ambiguous or there already is refused.
func TestBadPatterns(t *testing.T) {
	for pattern, want := range map[string]error{
		"":              errPatternPath,
		"a.test/":       errPatternPath,
		"/a//b":         errPatternClean,
		"/a/../b":       errPatternClean,
		"/./b":          errPatternClean,
		"/a/..":         errPatternClean,
		"/{a":           errPatternBraces,
		"/a}":           errPatternBraces,
		"/{a}b":         errPatternBraces,
		"/{{a}}":        errPatternBraces,
		"/{$}/b":        errPatternBraces,
		"/{$...}":       errPatternBraces,
		"/{a...}/b":     errPatternBraces,
		"/%7Ba%7D":      errPatternBraces,
		"/{}":           errPatternName,
		"/{...}":        errPatternName,
		"/{a}/{a}":      errPatternName,
		"/{a}/{a...}":   errPatternName,
		"/%2":           errPatternEscape,
		"/there":        errPatternTwice,
		"/%74here":      errPatternTwice,
		"G{T /x":        errPatternMethod,
		"/.../..a/a../": nil,
		"/{a}/x/{b}":    nil,
		"PUT /there":    nil,
	} {
		method, path, ok := strings.Cut(pattern, " ")
		if !ok {
			method, path = "", pattern
		}
		if err := tree(t, "/there", "GET /there").Add(method, path, ""); err != want {
			t.Errorf("%s: %v, want %v", pattern, err, want)
		}
	}
}

// TestClean: Clean takes away what IsClean finds, and nothing else; a slash at the end stays.
func TestClean(t *testing.T) {
	for p, want := range map[string]string{
		"/": "/", "/a": "/a", "/a/": "/a/", "/a/b": "/a/b", "/...": "/...", "/.a": "/.a", "/a..": "/a..", "/..a/b.": "/..a/b.",
		"//": "/", "/a//b": "/a/b", "/.": "/", "/./": "/", "/..": "/", "/a/.": "/a", "/a/./b": "/a/b", "/a/../b": "/b", "/a/b/..": "/a", "/a/../": "/",
		"/a/b/../": "/a/", "/../a": "/a", "/a//": "/a/",
	} {
		if got := Clean([]byte(p)); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
		if got := IsClean([]byte(p)); got != (p == want) {
			t.Errorf("%s is clean: %t", p, got)
		}
	}
}
