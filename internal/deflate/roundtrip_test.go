package deflate

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// samples are messages of all kinds: empty, short, long, alike, unlike, longer than any window.
func samples() [][]byte {
	long := strings.Repeat(`{"id":17,"name":"Ærøskøbing","tags":["a","b"],"on":true},`, 3000)
	var lines strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&lines, "%d\t%x\t%s\n", i, i*i*7919, unlike(i%9))
	}
	list := []string{"", "a", "ab", "Hello", strings.Repeat("Hello ", 30), long[:300], long[:4096], long, unlike(100), unlike(5000),
		unlike(70000), strings.Repeat("\x00", 200000), unlike(40000) + unlike(40000), lines.String(), unlike(258) + long[:33000] + unlike(258)}
	all := make([][]byte, len(list))
	for i, s := range list {
		all[i] = []byte(s)
	}
	return all
}

// Every kind of message, one after the other and again, in every window, with takeover and without.
func TestRoundTrips(t *testing.T) {
	for bits := MinBits; bits <= MaxBits; bits++ {
		for _, takeover := range []bool{false, true} {
			t.Run(fmt.Sprint(bits, takeover), func(t *testing.T) {
				c, d := NewCompressor(bits, takeover), NewDecompressor(bits, takeover)
				defer c.Drop()
				defer d.Drop()
				for i, plain := range append(samples(), samples()...) {
					p, err := c.Message(plain)
					if err != nil {
						t.Fatal(err)
					}
					got, err := d.Message(p, int64(len(plain)))
					if err != nil || !bytes.Equal(got, plain) {
						t.Fatalf("message %d: %d bytes of %d, %v", i, len(got), len(plain), err)
					}
					bufpool.Put(p)
					bufpool.Put(got)
				}
			})
		}
	}
}

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

// After Drop a message stands for itself.
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

func TestWithoutTakeoverAnyoneMayCompress(t *testing.T) {
	c := NewCompressor(12, false)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for _, plain := range samples() {
				p, err := c.Message(plain)
				if err != nil {
					t.Error(err)
					return
				}
				got, err := Decompress(p, nil, 12, 0)
				if err != nil || !bytes.Equal(got, plain) {
					t.Errorf("%d: %d bytes of %d, %v", i, len(got), len(plain), err)
				}
				bufpool.Put(p)
				bufpool.Put(got)
			}
		})
	}
	wg.Wait()
}

// With takeover the library puts the past and the message together. Else nothing is allocated.
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

// What a budget is told is what is kept.
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
			most = max(most, cap(c.past))
			if cap(c.past) > CompressorSize(bits) || cap(d.past) > DecompressorSize(bits) {
				t.Fatalf("%d bits: %d and %d bytes are kept after %d messages", bits, cap(c.past), cap(d.past), i)
			}
		}
		if most != CompressorSize(bits) {
			t.Errorf("%d bits: only %d bytes are kept, less than is said", bits, most)
		}
	}
}

// A compressor with takeover keeps to the window, in what it says and in what it refers to.
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

func TestBudget(t *testing.T) {
	b := NewBudget(10)
	if !b.Reserve(6) || b.Reserve(5) || !b.Room(4) || b.Room(5) || !b.Reserve(4) || b.Used() != 10 {
		t.Error("10 are not 6 and 4")
	}
	b.Charge(3)
	b.SetLimit(14)
	if b.Reserve(2) || !b.Reserve(1) || b.Used() != 14 {
		t.Error("14 are not 13 and 1")
	}
	b.Release(14)
	if b.Used() != 0 {
		t.Error(b.Used())
	}
}
