package nethttp_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// store is a destination that takes a whole reader at once, as one that keeps a digest does.
type store struct{ readFroms, writes, n int }

// Write implements io.Writer.
func (s *store) Write(p []byte) (int, error) {
	s.writes++
	return len(p), nil
}

// ReadFrom implements io.ReaderFrom.
func (s *store) ReadFrom(r io.Reader) (int64, error) {
	s.readFroms++
	b, err := io.ReadAll(r)
	s.n += len(b)
	return int64(len(b)), err
}

// io.Copy of a request body calls the destination's ReadFrom, not its Write.
func TestCopyOfBodyAsksTheDestination(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var s store
		_, err := io.Copy(&s, r.Body)
		fmt.Fprint(w, s, err)
	})
	url, h2 := serveH2(t, h)
	for name, tr := range map[string]http.RoundTripper{"HTTP/1.1": http.DefaultTransport, "HTTP/2": h2, "ours": new(nethttp.Transport)} {
		const size = 1 << 20
		for _, body := range []io.Reader{strings.NewReader(strings.Repeat("x", size)), io.LimitReader(endless('x'), size)} {
			req, _ := http.NewRequest("POST", url, body)
			res, err := tr.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if want := fmt.Sprint(store{1, 0, size}, nil); string(got) != want || err != nil {
				t.Errorf("%s: %s, %v; want %s", name, got, err, want)
			}
		}
	}
}

// endless is a reader that repeats one byte without end.
type endless byte

// Read implements io.Reader.
func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}
