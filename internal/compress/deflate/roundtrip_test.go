package deflate

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
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

// Messages of every kind, in every window, with takeover and without, are decompressed to the same bytes.
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

// Without takeover a Compressor can be used concurrently.
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
