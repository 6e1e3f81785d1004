package nethttp

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var targets = []string{
	"/", "/plain", "/a/b.c", "/a?b=c", "/a?", "/a??", "/a?b?c", "//a/b", "///", "/a//b", "/a;b=c,d", "/$&+:=@",
	"/%41", "/%2f", "/%zz", "/a b", "/a\x7f", "/\x00", "/é", "/a'b", "/(a)!*", `/"`, "/a[b]", "/a{b}", "/a|b", "/a\\b",
	"/a#b", "/a?b#c", "/a?b c", "/a?é", "/a?%zz", "/a?\"", "/a?'<>", "/..", "/./a", "*", "", "a", "a/b",
	"http://h", "http://h/", "http://h/p?q", "https://u@h:80/", "http://[::1]:80/p", "http://h:x/", "HTTP://h/a%20b",
	"h:80", "[::1]:80", "mailto:a@b", "/~a_b-c.d", "/a\t", "?q", "#f",
}

// parsed returns the URL that net/http's server makes of a target, and ours.
func parsed(target string) (want, got *url.URL, wantErr, gotErr error) {
	want, wantErr = url.ParseRequestURI(target)
	x := new(exchange)
	x.req.Method, x.req.RequestURI = http.MethodGet, target
	gotErr = x.parseTarget()
	return want, &x.url, wantErr, gotErr
}

func compareTarget(t *testing.T, target string) {
	want, got, wantErr, gotErr := parsed(target)
	if (wantErr == nil) != (gotErr == nil) {
		t.Fatalf("%q: error %v, want %v", target, gotErr, wantErr)
	}
	if wantErr != nil {
		return
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(url.Userinfo{})); d != "" {
		t.Fatalf("%q: (-want +got)\n%s", target, d)
	}
}

func TestTargets(t *testing.T) {
	for _, target := range targets {
		compareTarget(t, target)
	}
}

func TestPlainTargetsTakeTheFastPath(t *testing.T) {
	for _, target := range []string{"/", "/a/b.c-d_e~f", "/a?b=c&d=e%20f"} {
		var u url.URL
		if !plainTarget(target, &u) {
			t.Errorf("%q goes the long way", target)
		}
		if n := testing.AllocsPerRun(100, func() { plainTarget(target, &u) }); n != 0 {
			t.Errorf("%q: %v allocations", target, n)
		}
	}
}

func FuzzTarget(f *testing.F) {
	for _, target := range targets {
		f.Add(target)
	}
	f.Fuzz(compareTarget)
}
