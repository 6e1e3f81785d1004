package nethttp_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Of a body longer than its Content-Length the part within the length is sent, however it is written, and the handler
// gets an error. So a log file can be downloaded while it grows.
func TestMoreThanTheDeclaredLength(t *testing.T) {
	write := func(w http.ResponseWriter, s string) (int64, error) {
		n, err := w.Write([]byte(s))
		return int64(n), err
	}
	for name, copied := range map[string]func(w http.ResponseWriter, s string) (int64, error){
		"Write": write,
		"WriteString": func(w http.ResponseWriter, s string) (int64, error) {
			n, err := io.WriteString(w, s)
			return int64(n), err
		},
		"Write twice": func(w http.ResponseWriter, s string) (int64, error) {
			n, err := write(w, s[:10])
			if err != nil {
				return n, err
			}
			m, err := write(w, s[10:])
			return n + m, err
		},
		"Write behind a flush": func(w http.ResponseWriter, s string) (int64, error) {
			w.(http.Flusher).Flush()
			return write(w, s)
		},
		"Copy": func(w http.ResponseWriter, s string) (int64, error) {
			return io.Copy(w, struct{ io.Reader }{strings.NewReader(s)})
		},
		"Copy of a file": func(w http.ResponseWriter, s string) (int64, error) {
			f, err := os.OpenFile(filepath.Join(t.TempDir(), "log"), os.O_RDWR|os.O_CREATE, 0o600)
			if err != nil {
				return 0, err
			}
			defer f.Close()
			io.WriteString(f, s)
			f.Seek(0, io.SeekStart)
			return io.Copy(w, f)
		},
	} {
		for _, length := range []int{20, 5000, 100_000} {
			written := make(chan bool, 1)
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", strconv.Itoa(length))
				n, err := copied(w, strings.Repeat("x", length)+"one line more\n")
				if n != int64(length) || !errors.Is(err, http.ErrContentLength) {
					t.Errorf("%s of %d over %s: wrote %d, %v", name, length, r.Proto, n, err)
				}
				if n, err := write(w, "more"); n != 0 || !errors.Is(err, http.ErrContentLength) {
					t.Errorf("%s of %d over %s: behind it %d, %v", name, length, r.Proto, n, err)
				}
				written <- true
			})
			url, h2 := serveH2(t, h)
			for _, tr := range []*http.Transport{new(http.Transport), h2} {
				for _, method := range []string{"GET", "HEAD", "GET"} {
					req, _ := http.NewRequest(method, url, nil)
					res, err := tr.RoundTrip(req)
					if err != nil {
						t.Fatal(err)
					}
					b, err := io.ReadAll(res.Body)
					<-written
					want := strings.Repeat("x", length)
					if method == "HEAD" {
						want = ""
					}
					if string(b) != want || err != nil || res.ContentLength != int64(length) {
						t.Errorf("%s of %d over %s: %s got %d bytes, %v", name, length, res.Proto, method, len(b), err)
					}
				}
				tr.CloseIdleConnections()
			}
		}
	}
}
