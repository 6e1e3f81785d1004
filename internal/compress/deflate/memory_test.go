package deflate

import (
	"bytes"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Compressing and decompressing allocate nothing, except that with takeover the library joins history and message.
func TestAllocations(t *testing.T) {
	if bufpool.Poisoned {
		t.Skip("pools forget on purpose under the race detector")
	}
	plain := samples()[6]
	for _, g := range []struct {
		bits     int
		takeover bool
		want     float64
	}{{9, false, 0}, {15, false, 0}, {9, true, 0}, {15, true, 1}} {
		c, d := NewCompressor(g.bits, g.takeover), NewDecompressor(g.bits, g.takeover)
		if n := testing.AllocsPerRun(200, func() {
			p, err := c.Message(plain)
			got, err2 := d.Message(p, 1<<20)
			if err != nil || err2 != nil || len(got) != len(plain) {
				t.Error(err, err2, len(got))
			}
			bufpool.Put(p)
			bufpool.Put(got)
		}); n != g.want {
			t.Errorf("%d bits, takeover %v: %v allocations, want %v", g.bits, g.takeover, n, g.want)
		}
	}
}

// CompressorSize and DecompressorSize are the most that is kept.
func TestSizesAreTrue(t *testing.T) {
	for bits := MinBits; bits <= MaxBits; bits++ {
		c, d := NewCompressor(bits, true), NewDecompressor(bits, true)
		most := 0
		for i := range 300 {
			plain := []byte(unlike(i * 11))
			p, err := c.Message(plain)
			got, err2 := d.Message(p, 0)
			if err != nil || err2 != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%d bits, message %d: %v, %v", bits, i, err, err2)
			}
			bufpool.Put(p)
			bufpool.Put(got)
			most = max(most, cap(c.history))
			if cap(c.history) > CompressorSize(bits) || cap(d.history) > DecompressorSize(bits) {
				t.Fatalf("%d bits: %d and %d bytes are kept after %d messages", bits, cap(c.history), cap(d.history), i)
			}
		}
		if most != CompressorSize(bits) {
			t.Errorf("%d bits: only %d bytes are kept, less than is said", bits, most)
		}
	}
}
