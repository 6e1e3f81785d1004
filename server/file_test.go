package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/server"
)

func TestServeFile(t *testing.T) {
	dir := t.TempDir()
	large := bytes.Repeat([]byte("0123456789"), 100_000)
	for name, content := range map[string][]byte{"small.html": []byte("<p>"), "large": large, "empty.txt": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	errs := make(chan error, 1)
	f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
		errs <- w.ServeFile(filepath.Join(dir, string(r.Path())))
	})
	k := f.talk(t)
	for _, c := range []struct{ name, kind, content string }{
		{"small.html", "text/html; charset=utf-8", "<p>"},
		{"large", "application/octet-stream", string(large)},
		{"empty.txt", "text/plain; charset=utf-8", ""},
	} {
		info, _ := os.Stat(filepath.Join(dir, c.name))
		for _, method := range []string{"HEAD", "GET"} {
			k.Send(method + " /" + c.name + " HTTP/1.1\r\nHost: h\r\n\r\n")
			wantHead(t, k, "HTTP/1.1 200 OK", fmt.Sprintf("Content-Length: %d", len(c.content)), "Content-Type: "+c.kind,
				"Last-Modified: "+info.ModTime().UTC().Format(http.TimeFormat))
			if method == "GET" {
				k.Want(c.content)
			}
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	}
	for _, name := range []string{"nowhere", ""} {
		k.Send("GET /" + name + " HTTP/1.1\r\nHost: h\r\n\r\n")
		if got := head(k); !strings.HasPrefix(got, "HTTP/1.1 404 Not Found\r\n") {
			t.Errorf("%q: %q", name, got)
		}
		k.Want("Not Found\n")
		if err := <-errs; err == nil || name != "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// ReadFrom copies from each kind of reader, with a declared length, without one, and with a wrong one.
func TestReadFrom(t *testing.T) {
	const size = 100_000
	content := strings.Repeat("x", size)
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	file := func() io.Reader {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		name   string
		src    func() io.Reader
		length int // 0: not announced
		n      int64
		err    error
	}{
		{"a file", file, size, size, nil},
		{"part of a file", func() io.Reader { return io.LimitReader(file(), 50_000) }, 50_000, 50_000, nil},
		{"a file, length not declared", file, 0, size, nil},
		{"a string", func() io.Reader { return strings.NewReader(content) }, size, size, nil},
		{"a string, length not declared", func() io.Reader { return strings.NewReader(content) }, 0, size, nil},
		{"a file longer than declared", file, size - 1, size - 1, http.ErrContentLength},
		{"a string longer than declared", func() io.Reader { return strings.NewReader(content) }, size - 1, size - 1, http.ErrContentLength},
		{"part of a file longer than declared", func() io.Reader { return io.LimitReader(file(), 50_000) }, 40_000, 40_000, http.ErrContentLength},
		{"a file shorter than declared", file, size + 1, size, nil},
		{"a reader that breaks", func() io.Reader { return io.MultiReader(strings.NewReader(content), &breaking{broken}) }, size + 1, size, broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
				if c.length > 0 {
					w.Header().Set("Content-Length", fmt.Sprint(c.length))
				}
				if n, err := w.ReadFrom(c.src()); n != c.n || err != c.err {
					t.Errorf("got %d, %v; want %d, %v", n, err, c.n, c.err)
				}
			})
			k := f.talk(t)
			k.Send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
			res := k.WantUntil("\r\n\r\n")
			if c.length == 0 {
				if !strings.Contains(res, "chunked") {
					t.Errorf("not chunked: %q", res)
				}
				k.WantUntil("\r\n0\r\n\r\n")
				return
			}
			k.Want(strings.Repeat("x", min(c.length, size)))
			if c.length > size {
				k.WantGone()
			}
		})
	}
}

// breaking is a reader that fails.
type breaking struct{ err error }

func (b *breaking) Read([]byte) (int, error) { return 0, b.err }

// ServeFile sends the file's length, whatever length was set before.
func TestServeFileReplacesTheLength(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(name, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, set := range []func(w *server.ResponseWriter){
		func(w *server.ResponseWriter) { w.SetContentLength(3) },
		func(w *server.ResponseWriter) { w.Header().Set("Content-Length", "3") },
	} {
		f := handle(t, func(w *server.ResponseWriter, r *server.Request) {
			set(w)
			if err := w.ServeFile(name); err != nil {
				t.Error(err)
			}
		})
		k := f.talk(t)
		for _, method := range []string{"HEAD", "GET"} {
			k.Send(method + " / HTTP/1.1\r\nHost: h\r\n\r\n")
			if got := head(k); !strings.Contains(got, "Content-Length: 5\r\n") {
				t.Errorf("%s: %q", method, got)
			}
		}
		k.Want("hello")
	}
}
