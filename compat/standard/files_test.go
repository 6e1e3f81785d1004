package standard

import (
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// written is when all files of these tests were.
var written = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

const digits = "0123456789"

// tree is a file system in memory.
func tree() fstest.MapFS {
	fs := fstest.MapFS{}
	for name, data := range map[string]string{
		"digits.txt":      digits,
		"page.html":       "<h1>page</h1>",
		"empty.bin":       "",
		"noext":           "%PDF-1.4 told by its first bytes",
		"site/index.html": "<h1>index</h1>",
		"list/a<b.txt":    "a",
		"list/sub/x":      "x",
	} {
		fs[name] = &fstest.MapFile{Data: []byte(data), ModTime: written, Mode: 0o444}
	}
	return fs
}

// http.FileServerFS serves the same on both servers.
func TestFileServerFS(t *testing.T) {
	t.Parallel()
	since := func(d time.Duration) string { return written.Add(d).Format(http.TimeFormat) }
	both.Same(t, http.FileServerFS(tree()), []both.Request{
		both.Get(200, "/digits.txt"),
		both.Head(200, "/digits.txt"),
		both.Post(200, "/digits.txt", "ignored"),
		both.Get(200, "/empty.bin"),
		both.Get(200, "/noext"),
		both.Get(404, "/none"),
		both.Head(404, "/none"),

		both.Get(301, "/site"),
		both.Get(200, "/site/"),
		both.Get(301, "/site/index.html"),
		both.Get(301, "/page.html/"),
		both.Get(301, "/list?q=1"),
		both.Get(200, "/list/"),
		both.Head(200, "/list/"),

		both.Get(304, "/digits.txt", "If-Modified-Since", since(0)),
		both.Get(304, "/digits.txt", "If-Modified-Since", since(time.Hour)),
		both.Get(200, "/digits.txt", "If-Modified-Since", since(-time.Hour)),
		both.Get(200, "/digits.txt", "If-Modified-Since", "some day"),
		both.Get(200, "/digits.txt", "If-Unmodified-Since", since(0)),
		both.Get(412, "/digits.txt", "If-Unmodified-Since", since(-time.Hour)),
		both.Get(206, "/digits.txt", "Range", "bytes=1-2", "If-Range", since(0)),
		both.Get(200, "/digits.txt", "Range", "bytes=1-2", "If-Range", since(-time.Hour)),
	}, both.AnyFraming)
}

// Range requests get the same parts on both servers.
func TestRanges(t *testing.T) {
	t.Parallel()
	both.Same(t, http.FileServerFS(tree()), []both.Request{
		both.Get(206, "/digits.txt", "Range", "bytes=0-0"),
		both.Get(206, "/digits.txt", "Range", "bytes=2-4"),
		both.Head(206, "/digits.txt", "Range", "bytes=2-4"),
		both.Get(206, "/digits.txt", "Range", "bytes=7-"),
		both.Get(206, "/digits.txt", "Range", "bytes=-3"),
		both.Get(206, "/digits.txt", "Range", "bytes=-300"),
		both.Get(206, "/digits.txt", "Range", "bytes=5-500"),
		both.Get(416, "/digits.txt", "Range", "bytes=10-"),
		both.Head(416, "/digits.txt", "Range", "bytes=10-"),
		both.Get(416, "/digits.txt", "Range", "bytes=4-2"),
		both.Get(416, "/digits.txt", "Range", "lines=1-2"),
		both.Get(416, "/digits.txt", "Range", "bytes=a-b"),
		both.Get(200, "/digits.txt", "Range", "bytes=0-9,0-9"), // more than the file: not worth it
		both.Get(206, "/digits.txt", "Range", "bytes=2-3,100-200"),
		both.Get(200, "/empty.bin", "Range", "bytes=0-"),
	})
}

// parts reads the parts of a multipart response, whose boundary is another one each time.
func parts(t *testing.T, x both.Exchange) (seen []string) {
	t.Helper()
	kind, attrs, err := mime.ParseMediaType(x.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/byteranges" {
		t.Fatalf("Content-Type is %q (%v)", x.Header.Get("Content-Type"), err)
	}
	if int64(len(x.Body)) != x.Length {
		t.Errorf("%d bytes, announced were %d", len(x.Body), x.Length)
	}
	for r := multipart.NewReader(strings.NewReader(x.Body), attrs["boundary"]); ; {
		part, err := r.NextPart()
		if err == io.EOF {
			return seen
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(part)
		if err != nil {
			t.Fatal(err)
		}
		seen = append(seen, part.Header.Get("Content-Type"), part.Header.Get("Content-Range"), string(b))
	}
}

// Requests of several ranges get the same multipart body on both servers.
func TestSeveralRanges(t *testing.T) {
	t.Parallel()
	both.Compare(t, both.With(http.FileServerFS(tree())), func(t *testing.T, s *both.Site) []string {
		return parts(t, s.Do(t, both.Get(206, "/digits.txt", "Range", "bytes=0-1,4-5,-1")))
	})
}

// ServeContent compares the entity tag that the handler has set.
func TestServeContentTags(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		http.ServeContent(w, r, "x.json", time.Time{}, strings.NewReader(digits))
	})
	both.Same(t, h, []both.Request{
		both.Get(200, "/"),
		both.Get(304, "/", "If-None-Match", `"one"`),
		both.Get(304, "/", "If-None-Match", `W/"one"`),
		both.Get(304, "/", "If-None-Match", `"two", "one"`),
		both.Get(304, "/", "If-None-Match", `*`),
		both.Post(412, "/", "", "If-None-Match", `"one"`),
		both.Get(200, "/", "If-None-Match", `"two"`),
		both.Get(412, "/", "If-Match", `"two"`),
		both.Get(200, "/", "If-Match", `"one"`),
		both.Get(206, "/", "Range", "bytes=1-2", "If-Range", `"one"`),
		both.Get(200, "/", "Range", "bytes=1-2", "If-Range", `"two"`),
	})
}

// A file of the system, for which sendfile may be used, arrives whole and in parts, and HEAD gets no body.
func TestServeFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "large.bin")
	if err := os.WriteFile(name, []byte(strings.Repeat(digits, 300_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, written, written); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/serve", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, name) })
	mux.HandleFunc("/copy", func(w http.ResponseWriter, r *http.Request) {
		f, err := os.Open(name)
		if err != nil {
			panic(err)
		}
		defer f.Close()
		io.WriteString(w, "first\n")
		n, err := io.Copy(w, f)
		if n != 3_000_000 || err != nil {
			panic(err)
		}
	})
	requests := []both.Request{
		both.Get(200, "/serve"),
		both.Head(200, "/serve"),
		both.Get(206, "/serve", "Range", "bytes=1000000-2000000"),
		both.Get(206, "/serve", "Range", "bytes=-7"),
		both.Get(200, "/copy"),
		both.Get(200, "/serve"),
	}
	both.Same(t, mux, requests)
	both.Same(t, mux, requests, both.TLS)
}
