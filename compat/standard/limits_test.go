package standard

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// count reads the body and responds with what it got.
func count(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		fmt.Fprintf(w, "%d bytes, the limit is %d", n, large.Limit)
		return
	}
	fmt.Fprintf(w, "%d bytes, %v", n, err)
}

// MaxBytesHandler refuses the same bodies on both servers. A rest of at most 256 KiB is not compared: it ends the
// connection on net/http's alone (docs/nethttp-differences.md, "Requests").
func TestMaxBytesHandler(t *testing.T) {
	t.Parallel()
	both.Same(t, http.MaxBytesHandler(http.HandlerFunc(count), 1000), []both.Request{
		both.Post(200, "/", strings.Repeat("x", 999)),
		both.Post(200, "/", strings.Repeat("x", 1000)),
		both.Post(413, "/", strings.Repeat("x", 2_000_000)),
		both.Get(200, "/"),
	})
}

// Without a MaxBytesReader a body may have any length, also beyond the native server's limit of 32 MiB.
func TestNoBodyLimit(t *testing.T) {
	t.Parallel()
	const size = 40 << 20
	both.Compare(t, both.With(http.HandlerFunc(count)), func(t *testing.T, s *both.Site) both.Exchange {
		req, err := http.NewRequestWithContext(t.Context(), "POST", s.URL, io.LimitReader(zeros{}, size))
		if err != nil {
			t.Fatal(err)
		}
		x := s.Read(s.Client.Do(req))
		if want := fmt.Sprintf("%d bytes, <nil>", size); x.Body != want {
			t.Errorf("%s: %v, want %q", s.Name, x, want)
		}
		return x
	})
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// MaxBytesReader fails the same reads on both servers.
func TestMaxBytesReader(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 10)
		if err := r.ParseForm(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprint(w, r.PostForm.Encode())
	})
	both.Same(t, h, []both.Request{
		both.Post(200, "/", "a=1", "Content-Type", urlencoded),
		both.Post(400, "/", strings.Repeat("a=1&", 500_000), "Content-Type", urlencoded),
		both.Post(200, "/", "a=2", "Content-Type", urlencoded),
	})
}

// A head well beyond MaxHeaderBytes is refused with 431 on both servers.
func TestMaxHeaderBytes(t *testing.T) {
	t.Parallel()
	both.Compare(t, func() *http.Server {
		return &http.Server{Handler: http.HandlerFunc(count), MaxHeaderBytes: 8 << 10}
	}, func(t *testing.T, s *both.Site) (statuses []int) {
		// net/http allows 4 KiB more than its limit says; ask well below and well above.
		for _, size := range []int{100, 6 << 10, 40 << 10} {
			p := s.Dial(t)
			p.Say("GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", size) + "\r\n\r\n")
			statuses = append(statuses, p.Response("GET").Status)
		}
		if want := []int{200, 200, 431}; fmt.Sprint(statuses) != fmt.Sprint(want) {
			t.Errorf("got %v, want %v", statuses, want)
		}
		return statuses
	})
}
