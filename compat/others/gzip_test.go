package others

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/NYTimes/gziphandler"
	"github.com/klauspost/compress/gzhttp"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// pages responds with texts below and above the size from which compressing pays.
func pages(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/short":
		io.WriteString(w, "short")
	case "/long":
		for range 1000 {
			io.WriteString(w, "a line of a long text\n")
		}
	case "/flushed":
		for i := range 100 {
			fmt.Fprintf(w, "line %d of a flushed text\n", i)
			w.(http.Flusher).Flush()
		}
	case "/image":
		w.Header().Set("Content-Type", "image/png")
		w.Write(make([]byte, 10_000))
	case "/none":
		w.WriteHeader(http.StatusNoContent)
	}
}

// Middleware for gzip compresses the same responses on both servers.
func TestGzip(t *testing.T) {
	t.Parallel()
	for name, wrap := range map[string]func(http.Handler) http.Handler{
		"klauspost": func(h http.Handler) http.Handler { return gzhttp.GzipHandler(h) },
		"NYTimes":   gziphandler.GzipHandler,
	} {
		t.Run(name, func(t *testing.T) {
			both.Compare(t, both.With(wrap(http.HandlerFunc(pages))), func(t *testing.T, s *both.Site) (seen []both.Exchange) {
				for _, target := range []string{"/short", "/long", "/flushed", "/image"} {
					packed := s.Do(t, both.Get(200, target, "Accept-Encoding", "gzip"))
					plain := s.Do(t, both.Get(200, target))
					text := packed.Body
					if packed.Header.Get("Content-Encoding") == "gzip" {
						text = unzipped(t, text)
					}
					if text != plain.Body || plain.Body == "" {
						t.Errorf("%s: %s: another text", s.Name, target)
					}
					seen = append(seen, packed, plain)
				}
				head := s.Do(t, both.Head(200, "/long", "Accept-Encoding", "gzip"))
				if s.Ours && head.Length == 22*1000 {
					// A HEAD response tells the length of what was written; net/http gives up at 2 KiB.
					head.Header.Del("Content-Length")
					head.Length = -1
				}
				return append(seen, head, s.Do(t, both.Get(204, "/none", "Accept-Encoding", "gzip")))
			})
		})
	}
}

// A handler reads request bodies that arrive compressed.
func TestGzipRequest(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, strings.Repeat("text ", 100_000))
	w.Close()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		zr, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		n, err := io.Copy(io.Discard, zr)
		fmt.Fprintln(w, n, err)
	})
	both.Same(t, h, []both.Request{
		both.Post(200, "/", packed.String(), "Content-Encoding", "gzip"),
		both.Post(400, "/", "this is no gzip"),
	})
}
