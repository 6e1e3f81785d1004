package deflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"testing"

	fast "github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

func sizes(b *testing.B, f func(b *testing.B, plain, p []byte)) {
	for _, n := range []int{128, 1 << 10, 16 << 10} {
		plain := samples()[7][:n]
		p, err := Compress(plain, MaxBits)
		if err != nil {
			b.Fatal(err)
		}
		defer bufpool.Put(p)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			b.ReportAllocs()
			f(b, plain, p)
		})
	}
}

func BenchmarkDecompress(b *testing.B) {
	sizes(b, func(b *testing.B, plain, p []byte) {
		for b.Loop() {
			got, err := Decompress(p, nil, MaxBits, 0)
			if err != nil || len(got) != len(plain) {
				b.Fatal(err)
			}
			bufpool.Put(got)
		}
	})
}

// BenchmarkReader is how others decompress a message: with a reader that is used again.
func BenchmarkReader(b *testing.B) {
	for name, r := range map[string]io.Reader{"std": flate.NewReader(nil), "klauspost": fast.NewReader(nil)} {
		b.Run(name, func(b *testing.B) {
			sizes(b, func(b *testing.B, plain, p []byte) {
				p = append(bytes.Clone(p), "\x00\x00\xff\xff\x01\x00\x00\xff\xff"...)
				var in bytes.Reader
				var out bytes.Buffer
				for b.Loop() {
					in.Reset(p)
					out.Reset()
					r.(fast.Resetter).Reset(&in, nil)
					if n, err := out.ReadFrom(r); err != nil || int(n) != len(plain) {
						b.Fatal(n, err)
					}
				}
			})
		})
	}
}

func BenchmarkCompress(b *testing.B) {
	sizes(b, func(b *testing.B, plain, _ []byte) {
		size := 0
		for b.Loop() {
			p, err := Compress(plain, MaxBits)
			if err != nil {
				b.Fatal(err)
			}
			size = len(p)
			bufpool.Put(p)
		}
		b.ReportMetric(float64(size), "B/msg")
	})
}

// BenchmarkStateless is the compressor that keeps nothing at all.
func BenchmarkStateless(b *testing.B) {
	sizes(b, func(b *testing.B, plain, _ []byte) {
		var out bytes.Buffer
		for b.Loop() {
			out.Reset()
			if err := fast.StatelessDeflate(&out, plain, false, nil); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(out.Len()), "B/msg")
	})
}
