package serve

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// startFiles serves a directory with some files in it, beside a secret that must stay outside.
func startFiles(t *testing.T) *clitest.Running {
	t.Helper()
	return clitest.Serve(t, Options{dir: filesDir(t)})
}

// filesDir makes the directory of startFiles.
func filesDir(t *testing.T) string {
	t.Helper()
	base := t.TempDir()
	dir := filepath.Join(base, "public")
	for _, d := range []string{"public/sub", "public/site", "public/empty", "public/.git", "public/.well-known"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"secret.txt":             "secret",
		"public/a.txt":           "0123456789",
		"public/style.CSS":       "p{}",
		"public/data.json":       "{}",
		"public/noname":          "%PDF-1.7",
		"public/sub/<i>&.md":     "# hi",
		"public/100%.txt":        "percent",
		"public/site/index.html": "<p>home",
		"public/.env":            "dotted",
		"public/.git/config":     "dotted",
		"public/.well-known/a":   "for all",
	} {
		if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC)
	if err := os.Chtimes(filepath.Join(dir, "a.txt"), at, at); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"out": "../secret.txt", "abs": filepath.Join(base, "secret.txt"), "up": "..", "in": "a.txt", "round": "round",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip(err) // not every system lets everybody make links
		}
	}
	return dir
}

// Files, directories and index pages are served with the right fields.
func TestFiles(t *testing.T) {
	r := startFiles(t)
	for _, tc := range []struct {
		method, path string
		status       int
		contentType  string
		body         string
	}{
		{"GET", "/a.txt", 200, "text/plain; charset=utf-8", "0123456789"},
		{"HEAD", "/a.txt", 200, "text/plain; charset=utf-8", ""},
		{"GET", "/a.txt?download", 200, "text/plain; charset=utf-8", "0123456789"},
		{"GET", "/style.CSS", 200, "text/css; charset=utf-8", "p{}"},
		{"GET", "/data.json", 200, "application/json", "{}"},
		{"GET", "/noname", 200, "application/pdf", "%PDF-1.7"},
		{"GET", "/sub/%3Ci%3E&.md", 200, "text/markdown; charset=utf-8", "# hi"},
		{"GET", "/100%25.txt", 200, "text/plain; charset=utf-8", "percent"},
		{"GET", "/in", 200, "text/plain; charset=utf-8", "0123456789"},
		{"GET", "/site/", 200, "text/html; charset=utf-8", "<p>home"},
		{"GET", "/site", 301, "", ""},
		{"GET", "/a.txt/", 404, "", "*"},
		{"GET", "/missing", 404, "", "*"},
		{"GET", "/a.txt/b", 404, "", "*"},
		{"GET", "/round", 404, "", "*"},
		{"GET", "/" + strings.Repeat("x", 300), 404, "", "*"},
		{"POST", "/a.txt", 405, "", "*"},
	} {
		resp, body := r.Do(tc.method, tc.path)
		if resp.StatusCode != tc.status || tc.body != "*" && body != tc.body {
			t.Errorf("%s %.40s: %s %q, want %d %q", tc.method, tc.path, resp.Status, body, tc.status, tc.body)
		}
		if ct := resp.Header.Get("Content-Type"); tc.contentType != "" && ct != tc.contentType {
			t.Errorf("%s %s: Content-Type %q, want %q", tc.method, tc.path, ct, tc.contentType)
		}
	}
}

// No path leads out of the directory.
func TestFilesStayInside(t *testing.T) {
	r := startFiles(t)
	for _, target := range []string{
		"/../secret.txt", "/sub/../../secret.txt", "/%2e%2e/secret.txt", "/..%2fsecret.txt", "/sub/..%2F..%2Fsecret.txt",
		"/..\\secret.txt", "/%5c..%5csecret.txt", "//secret.txt", "/./a.txt", "/sub/../a.txt", "//", "/a.txt%00.html",
		"/out", "/abs", "/up/secret.txt", "/up/", "/up",
	} {
		k := r.Dial() // the client library would tidy these up
		k.Say("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n")
		if resp, body := k.Hear("GET"); resp.StatusCode != 404 && resp.StatusCode != 400 || strings.Contains(body, "secret") {
			t.Errorf("GET %s: %s %q, want 404", target, resp.Status, body)
		}
	}
}

// Ranges and conditions are answered.
func TestFilesRanges(t *testing.T) {
	r := startFiles(t)
	resp, _ := r.Do("HEAD", "/a.txt")
	tag, changed := resp.Header.Get("Etag"), resp.Header.Get("Last-Modified")
	if !strings.HasPrefix(tag, `"`) || changed != "Thu, 29 Feb 2024 12:00:00 GMT" {
		t.Fatalf("Etag %s, Last-Modified %s; want a strong tag and the file's time", tag, changed)
	}
	for _, tc := range []struct {
		name, head string
		status     int
		body       string
	}{
		{"from to", "Range: bytes=2-4", 206, "234"},
		{"to the end", "Range: bytes=7-", 206, "789"},
		{"the last", "Range: bytes=-2", 206, "89"},
		{"beyond", "Range: bytes=10-", 416, "*"},
		{"another unit", "Range: lines=1-2", 200, "0123456789"},
		{"same tag", "If-None-Match: " + tag, 304, ""},
		{"one of the tags", `If-None-Match: "other", W/` + tag, 304, ""},
		{"another tag", `If-None-Match: "other"`, 200, "0123456789"},
		{"not since", "If-Modified-Since: " + changed, 304, ""},
		{"since", "If-Modified-Since: Thu, 29 Feb 2024 11:59:59 GMT", 200, "0123456789"},
		{"only if it is another", `If-Match: "other"`, 412, ""},
		{"only if it is this", "If-Match: " + tag, 200, "0123456789"},
	} {
		if resp, body := r.Do("GET", "/a.txt", tc.head); resp.StatusCode != tc.status || tc.body != "*" && body != tc.body {
			t.Errorf("%s (%s): %s %q, want %d %q", tc.name, tc.head, resp.Status, body, tc.status, tc.body)
		}
	}
	if resp, body := r.Do("GET", "/a.txt", "Range: bytes=0-1", "If-Range: "+tag); resp.StatusCode != 206 || body != "01" {
		t.Errorf("a range of what I have: %s %q, want 206", resp.Status, body)
	}
	if resp, body := r.Do("GET", "/a.txt", "Range: bytes=0-1", `If-Range: "other"`); resp.StatusCode != 200 || len(body) != 10 {
		t.Errorf("a range of what has changed: %s %q, want 200 and everything", resp.Status, body)
	}
}

// A listing has the entries of the directory, escaped.
func TestListing(t *testing.T) {
	r := startFiles(t)
	_, body := r.Do("GET", "/")
	for _, want := range []string{`<a href="./sub/">sub/</a>`, `<a href="./a.txt">a.txt</a></td><td>10 B</td><td>2024-02-29 12:00`, `<a href="./100%25.txt">`} {
		if !strings.Contains(body, want) {
			t.Errorf("the listing does not contain %s:\n%s", want, body)
		}
	}
	for _, outside := range []string{">out<", ">abs<", ">up", ">round<"} {
		if strings.Contains(body, outside) {
			t.Errorf("the listing offers %s, which cannot be had", outside)
		}
	}
	if !strings.Contains(body, ">in</a></td><td>10 B<") {
		t.Error("the listing does not follow a link that stays inside")
	}
	if strings.Index(body, ">sub/<") > strings.Index(body, ">a.txt<") {
		t.Error("files come before directories")
	}
	if _, body = r.Do("GET", "/sub/"); !strings.Contains(body, `<a href="./%3Ci%3E&amp;.md">&lt;i&gt;&amp;.md</a>`) || !strings.Contains(body, `href="../"`) {
		t.Errorf("the listing of sub:\n%s", body)
	}
	if _, body = r.Do("GET", "/empty/"); !strings.Contains(body, "is empty") {
		t.Errorf("the listing of empty:\n%s", body)
	}
	if resp, _ := r.Do("GET", "/sub?a=b"); resp.StatusCode != 301 || resp.Header.Get("Location") != "./sub/?a=b" {
		t.Errorf("GET /sub: %s to %q", resp.Status, resp.Header.Get("Location"))
	}
}

// Names that begin with a dot are neither listed nor served, unless -dotfiles is given.
func TestDotfiles(t *testing.T) {
	dir := filesDir(t)
	hidden, shown := clitest.Serve(t, Options{dir: dir}), clitest.Serve(t, Options{dir: dir, dotfiles: true})
	for _, path := range []string{"/.env", "/.git/", "/.git", "/.git/config"} {
		if resp, body := hidden.Do("GET", path); resp.StatusCode != 404 || strings.Contains(body, "dotted") {
			t.Errorf("GET %s: %s %q, want 404", path, resp.Status, body)
		}
		if resp, _ := shown.Do("GET", path); resp.StatusCode == 404 {
			t.Errorf("GET %s with -dotfiles: %s", path, resp.Status)
		}
	}
	if resp, body := hidden.Do("GET", "/.well-known/a"); resp.StatusCode != 200 || body != "for all" {
		t.Errorf("what is well known: %s %q", resp.Status, body)
	}
	if _, body := hidden.Do("GET", "/"); strings.Contains(body, ".env") || strings.Contains(body, ".git") {
		t.Errorf("the listing shows them:\n%s", body)
	}
	if _, body := shown.Do("GET", "/"); !strings.Contains(body, ">.env<") || !strings.Contains(body, ">.git/<") {
		t.Errorf("the listing does not show them with -dotfiles:\n%s", body)
	}
}

// Each title sorts by its column, and the other way round at the second click; directories stay in front.
func TestListingOrder(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "z"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]struct{ size, day int }{"a": {30, 3}, "b": {100, 1}, "c": {30, 2}, "d": {7, 4}} {
		path, at := filepath.Join(dir, name), time.Date(2024, 1, f.day, 0, 0, 0, 0, time.UTC)
		if err := os.WriteFile(path, make([]byte, f.size), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	r := clitest.Serve(t, Options{dir: dir})
	for query, want := range map[string]struct{ names, next string }{
		"":                            {"z/ a b c d", `href="?sort=name&amp;order=desc">Name</a> ↑`},
		"?sort=name&order=desc":       {"z/ d c b a", `href="./">Name</a> ↓`},
		"?sort=size":                  {"z/ d a c b", `href="?sort=size&amp;order=desc">Size</a> ↑`},
		"?sort=size&order=desc":       {"z/ b a c d", `href="?sort=size">Size</a> ↓`},
		"?sort=changed":               {"z/ b c a d", `aria-sort="ascending"`},
		"?sort=changed&order=desc":    {"z/ d a c b", `href="?sort=changed">Changed</a> ↓`},
		"?sort=<script>&order=upward": {"z/ a b c d", `href="?sort=size&amp;order=desc">Size</a></th>`},
	} {
		_, body := r.Do("GET", "/"+query)
		var names []string
		for _, row := range strings.Split(body, "<tr><td>")[1:] {
			_, rest, _ := strings.Cut(row, `">`)
			name, _, _ := strings.Cut(rest, "</a>")
			names = append(names, name)
		}
		if got := strings.Join(names, " "); got != want.names || !strings.Contains(body, want.next) {
			t.Errorf("%s: %s, want %s, and %s in\n%s", query, got, want.names, want.next, body)
		}
	}
	_, body := r.Do("GET", "/?sort=size")
	if !strings.Contains(body, `href="./z/?sort=size"`) {
		t.Errorf("a directory does not keep the order:\n%s", body)
	}
	if _, body = r.Do("GET", "/z/?sort=size"); !strings.Contains(body, `href="../?sort=size">../</a>`) {
		t.Errorf("the way up does not keep the order:\n%s", body)
	}
}

// A file that has just been changed has a weak entity tag.
func TestEntityTagIsWeakAtFirst(t *testing.T) {
	now := time.Unix(1000, 0)
	fresh, rested := entityTag(info{now.Add(-time.Second)}, now), entityTag(info{now.Add(-time.Minute)}, now)
	if !strings.HasPrefix(fresh, `W/"`) || !strings.HasPrefix(rested, `"`) {
		t.Errorf("fresh %s, rested %s; want a weak and a strong tag", fresh, rested)
	}
	if future := entityTag(info{now.Add(time.Hour)}, now); !strings.HasPrefix(future, `W/"`) {
		t.Errorf("changed in the future: %s, want a weak tag", future)
	}
}

// info is a fs.FileInfo that only knows its time.
type info struct{ changed time.Time }

func (info) Name() string { return "" }

func (info) Size() int64 { return 10 }

func (info) Mode() fs.FileMode { return 0 }

func (i info) ModTime() time.Time { return i.changed }

func (info) IsDir() bool { return false }

func (info) Sys() any { return nil }

// Sizes have a binary unit and at most one decimal.
func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1536: "1.5 KiB", 5 << 20: "5.0 MiB", 3 << 40: "3.0 TiB", 1<<63 - 1: "8.0 EiB",
	} {
		if got := figures.ByteSize(n); got != want {
			t.Errorf("byteSize(%d) = %q, want %q", n, got, want)
		}
	}
}
