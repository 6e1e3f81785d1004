//go:build !race

package coding

import (
	"bytes"
	"io"
	"runtime/debug"
	"testing"
)

// A Reader that is used again allocates nothing for gzip and deflate, and little for the other codings.
func TestAllocs(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for codings, most := range map[string]float64{"gzip": 0, "deflate": 0, "bare": 0, "zstd": 2, "br": 6, "gzip, gzip": 0} {
		body, names := coded(t, codings, text(100_000)), named(codings)
		src, p := bytes.NewReader(body), make([]byte, 4096)
		var r Reader
		if n := testing.AllocsPerRun(50, func() {
			src.Reset(body)
			if err := r.Reset(src, names, Limits{}); err != nil {
				t.Fatal(err)
			}
			total := 0
			for {
				n, err := r.Read(p)
				if total += n; err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if r.Close(); total != 100_000 {
				t.Fatalf("%d bytes", total)
			}
		}); n > most {
			t.Errorf("%s: %v allocations for a body, want %v", codings, n, most)
		}
	}
}
