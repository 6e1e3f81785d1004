package deflate

import (
	"errors"
	"fmt"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// Compressing with a shared Compressor is measured beside one compressor for each connection, whose memory is never
// in the processor's cache.
func BenchmarkCompress(b *testing.B) {
	for _, conns := range []int{1, 200} {
		for _, size := range []int{512, 1 << 10, 4 << 10, 16 << 10} {
			plain := talk(size)
			for _, kind := range []struct {
				name string
				make func() func(p []byte) ([]byte, error)
			}{{"fresh", fresh}, {"takeover", shared}, {"own", own}} {
				b.Run(fmt.Sprintf("conns=%d/%d/of=%s", conns, size, kind.name), func(b *testing.B) {
					all := make([]func(p []byte) ([]byte, error), conns)
					for i := range all {
						all[i] = kind.make()
					}
					b.SetBytes(int64(size))
					b.ReportAllocs()
					sum, n := 0, 0
					for ; b.Loop(); n++ {
						p, err := all[n%conns](plain[(n/conns+3*(n%conns))%len(plain)])
						if err != nil {
							b.Fatal(err)
						}
						sum += len(p)
						bufpool.Put(p)
					}
					b.ReportMetric(float64(sum)/float64(n), "B/msg")
				})
			}
		}
	}
}

func fresh() func(p []byte) ([]byte, error) {
	return func(p []byte) ([]byte, error) { return Compress(p, MaxBits) }
}

func shared() func(p []byte) ([]byte, error) {
	c := NewCompressor(MaxBits, true)
	return c.Message
}

// own returns a compressor with a state of its own, of about 1 MiB.
func own() func(p []byte) ([]byte, error) {
	o := new(output)
	w, err := flate.NewWriter(o, level)
	return func(p []byte) ([]byte, error) {
		o.begin(len(p))
		if err == nil {
			_, err = w.Write(p)
		}
		return o.end(errors.Join(err, w.Flush()))
	}
}
