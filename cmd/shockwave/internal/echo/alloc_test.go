//go:build !race

package echo

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Echoing a message allocates nothing.
func TestEchoAllocatesNothing(t *testing.T) {
	for name, opt := range map[string]Options{"blocking": {Native: true}, "callback": {Native: true, WsCallback: true}} {
		t.Run(name, func(t *testing.T) {
			k := clitest.Serve(t, opt).Hello("/")
			in := []byte("\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58") // "Hello", RFC 6455 §5.7
			out := make([]byte, 7)
			echoes := func(n int) {
				for range n {
					k.Conn.Write(in)
					if _, err := io.ReadFull(k.R, out); err != nil || !strings.HasSuffix(string(out), "Hello") {
						t.Fatalf("%q, %v", out, err)
					}
				}
			}
			const n = 2000
			var before, after runtime.MemStats
			echoes(100)
			runtime.ReadMemStats(&before)
			echoes(n)
			runtime.ReadMemStats(&after)
			// A few belong to others in the process.
			if allocs := after.Mallocs - before.Mallocs; allocs > n/20 {
				t.Errorf("%d allocations for %d messages", allocs, n)
			}
		})
	}
}
