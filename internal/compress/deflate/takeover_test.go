package deflate

import (
	"bytes"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// With takeover a message that repeats an earlier one is much shorter.
func TestTakeoverMakesMessagesShorter(t *testing.T) {
	c := NewCompressor(15, true)
	defer c.Drop()
	plain := []byte(unlike(1000))
	first, _ := c.Message(plain)
	second, _ := c.Message(plain)
	if len(first) < 1000 || len(second) > 50 {
		t.Errorf("%d bytes, then %d", len(first), len(second))
	}
	bufpool.Put(first)
	bufpool.Put(second)
}

// After Drop a message does not refer to earlier ones.
func TestDroppedCompressors(t *testing.T) {
	c := NewCompressor(15, true)
	plain := []byte(unlike(1000))
	first, _ := c.Message(plain)
	c.Drop()
	second, _ := c.Message(plain)
	if got, err := Decompress(second, nil, 15, 0); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	c.Drop()
	bufpool.Put(first)
	bufpool.Put(second)
}

// With takeover no copy reaches back beyond the window.
func TestTakeoverStaysInTheWindow(t *testing.T) {
	for bits := MinBits; bits <= MaxBits; bits++ {
		c := NewCompressor(bits, true)
		defer c.Drop()
		var said []byte
		for _, n := range []int{20, 100, 300, 1000, 5000, 40000, 70000, 50} {
			for _, distance := range []int{100, 250, 260, 500, 600, 1000, 2000, 3000, 5000, 9000, 17000, 33000} {
				plain := []byte(unlike(n))
				if at := len(said) - distance; at >= 0 {
					plain = append(plain[:n:n], said[at:min(at+100, len(said))]...)
				}
				p, err := c.Message(plain)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Decompress(p, said[max(0, len(said)-1<<bits):], bits, 0)
				if err != nil || !bytes.Equal(got, plain) {
					t.Fatalf("%d bits: %d bytes after %d: %v", bits, len(plain), len(said), err)
				}
				bufpool.Put(p)
				bufpool.Put(got)
				said = append(said, plain...)
			}
		}
	}
}
