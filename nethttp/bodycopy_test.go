package nethttp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/nethttp"
)

// pieces notes how much it is given at once, and fails when it has enough.
type pieces struct{ total, largest, enough int }

var errEnough = errors.New("enough")

func (p *pieces) Write(b []byte) (int, error) {
	p.total += len(b)
	p.largest = max(p.largest, len(b))
	if p.enough > 0 && p.total >= p.enough {
		return len(b), errEnough
	}
	return len(b), nil
}

// TestBodyIsCopiedInLargePieces: io.Copy of a body gets more at once than the 8 KiB that io.Discard would ask for, all
// of it, and the writer's error.
func TestBodyIsCopiedInLargePieces(t *testing.T) {
	const size = 4 << 20
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p pieces
		if r.URL.Path == "/enough" {
			p.enough = 100
		}
		n, err := io.Copy(&p, r.Body)
		if p.enough > 0 {
			fmt.Fprintln(w, n == int64(p.total), n == size, err)
		} else {
			fmt.Fprintln(w, n == int64(p.total), n == size, p.largest > 8<<10, err)
		}
	})
	addr := serveOurs(t, &nethttp.Server{Handler: h, ErrorLog: quiet()})
	for path, want := range map[string]string{"/": "true true true <nil>\n", "/enough": "true false enough\n"} {
		res, err := http.Post("http://"+addr+path, "text/plain", strings.NewReader(strings.Repeat("x", size)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if string(got) != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", path, got, err, want)
		}
	}
}
