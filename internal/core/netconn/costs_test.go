package netconn

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/output"
)

// BenchmarkCosts measures the parts of a write through the queue: see docs/decisions/0005-what-a-write-costs.md.
func BenchmarkCosts(b *testing.B) {
	b.Run("atomic", func(b *testing.B) {
		var n atomic.Int64
		for b.Loop() {
			n.Add(1)
		}
	})
	b.Run("lock", func(b *testing.B) {
		var mu sync.Mutex
		n := 0
		for b.Loop() {
			mu.Lock()
			n++
			mu.Unlock()
		}
	})
	b.Run("lease", func(b *testing.B) {
		for b.Loop() {
			bufpool.Put(bufpool.Get(output.GatherFrom / 4))
		}
	})
	b.Run("copy", func(b *testing.B) {
		from, to := make([]byte, 1<<10), make([]byte, 1<<10+4)
		from[1<<10-1] = 1
		for b.Loop() {
			copy(to[4:], from)
		}
		if to[1<<10+3] != 1 {
			b.Fatal("nothing was copied")
		}
	})
}
