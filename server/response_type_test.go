package server_test

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

// The type is that of the first 512 bytes, however they are written.
func TestSniffType(t *testing.T) {
	page := "<html>" + strings.Repeat("a", 100_000)
	name := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(name, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	const html, text, none = "text/html; charset=utf-8", "text/plain; charset=utf-8", ""
	for _, c := range []struct {
		name string
		h    server.HandlerFunc
		want string
	}{
		{"a short body", func(w *server.ResponseWriter, r *server.Request) { w.WriteString("<html>") }, html},
		{"all at once", func(w *server.ResponseWriter, r *server.Request) { w.WriteBody("", []byte("<html>")) }, html},
		{"in two writes", func(w *server.ResponseWriter, r *server.Request) { w.WriteString("<ht"); w.WriteString("ml>") }, html},
		{"the second is large", func(w *server.ResponseWriter, r *server.Request) { w.WriteString("<ht"); w.WriteString(page[3:]) }, html},
		{"a large one", func(w *server.ResponseWriter, r *server.Request) { w.WriteString(page) }, html},
		{"a copy", func(w *server.ResponseWriter, r *server.Request) { w.ReadFrom(strings.NewReader(page)) }, html},
		{"a file", func(w *server.ResponseWriter, r *server.Request) {
			f, err := os.Open(name)
			if err != nil {
				t.Error(err)
				return
			}
			defer f.Close()
			w.SetContentLength(int64(len(page)))
			if n, err := w.ReadFrom(f); n != int64(len(page)) || err != nil {
				t.Errorf("%d bytes of the file, %v", n, err)
			}
		}, html},
		{"flushed too early", func(w *server.ResponseWriter, r *server.Request) {
			w.WriteString("<ht")
			w.Flush()
			w.WriteString("ml>")
		}, text},
		{"nothing", func(w *server.ResponseWriter, r *server.Request) {}, none},
		{"flushed, nothing", func(w *server.ResponseWriter, r *server.Request) { w.Flush() }, none},
		{"a type of its own, set later", func(w *server.ResponseWriter, r *server.Request) {
			w.WriteString("<html>")
			w.Header().Set("content-type", "a/b")
		}, "a/b"},
		{"set too late", func(w *server.ResponseWriter, r *server.Request) { w.Flush(); w.SniffType(); w.WriteString("<html>") }, none},
		{"a body that is not sent", func(w *server.ResponseWriter, r *server.Request) { w.WriteString("<html>"); w.SetStatus(204) }, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
				if !strings.Contains(c.name, "too late") {
					w.SniffType()
				}
				c.h(w, r)
			})
			for _, method := range []string{"GET", "HEAD"} {
				r, err := http.NewRequest(method, "http://"+f.addr, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Close = true
				res, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				res.Body.Close()
				if got := res.Header.Get("Content-Type"); got != c.want || err != nil {
					t.Errorf("%s: %q, %v, want %q", method, got, err, c.want)
				}
				if method == "GET" && strings.HasPrefix(c.name, "a file") && string(body) != page {
					t.Errorf("%d bytes, want %d", len(body), len(page))
				}
				if method == "HEAD" && len(body) > 0 {
					t.Errorf("a body to HEAD: %.50q", body)
				}
			}
		})
	}
}

// What a write has within the declared length is sent, and nothing of a later write.
func TestWriteBeyondTheLength(t *testing.T) {
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		w.SetContentLength(10)
		w.WriteString("12345678")
		if n, err := w.WriteString("90 and more"); n != 2 || err != http.ErrContentLength {
			t.Errorf("beyond the length: %d, %v", n, err)
		}
		w.SetContentLength(20) // too late: bytes are missing after what was written
		if n, err := w.WriteString("a"); n != 0 || err != http.ErrContentLength {
			t.Errorf("behind it: %d, %v", n, err)
		}
		w.SetContentLength(10)
	})
	k := f.talk(t)
	for range 2 {
		k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
		wantHead(t, k, "HTTP/1.1 200 OK", "Content-Length: 10")
		k.Want("1234567890")
	}
}
