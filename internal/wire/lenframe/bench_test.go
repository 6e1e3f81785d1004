package lenframe

import (
	"bytes"
	"fmt"
	"testing"
)

// benchStream returns a buffer full of messages of that size, and how many there are. Each begins and ends with bytes
// that tell its number.
func benchStream(size int) (wire []byte, count int) {
	for len(wire)+HeaderSize+size <= 64<<10 || count == 0 {
		p := bytes.Repeat([]byte{'x'}, size)
		p[0], p[size-1] = byte(count), byte(count>>8)
		wire = Append(wire, p)
		count++
	}
	return wire, count
}

var benchSizes = []int{16, 64, 1024, 64 << 10}

// eachMessage runs f with a stream of messages until b has had enough; f returns how many it found. The time of an
// operation is a message's.
func eachMessage(b *testing.B, f func(b *testing.B, wire []byte) int) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			wire, count := benchStream(size)
			b.ReportAllocs()
			for left := b.N; left > 0; left -= count {
				if found := f(b, wire); found != count {
					b.Fatal(found)
				}
			}
		})
	}
}

// checked reports whether p is message number i.
func checked(p []byte, i int) bool { return p[0] == byte(i) && p[len(p)-1] == byte(i>>8) }

// BenchmarkNext reads messages that lie whole in a buffer.
func BenchmarkNext(b *testing.B) {
	eachMessage(b, func(b *testing.B, wire []byte) int {
		var r Reader
		r.MaxMessage = 16 << 20
		for i := 0; ; i++ {
			e, p, n, err := r.Next(wire)
			if e == Nothing || err != nil {
				return i
			}
			if !checked(p, i) {
				b.Fatal(i)
			}
			wire = wire[n:]
		}
	})
}

// BenchmarkParse is the same with Parse.
func BenchmarkParse(b *testing.B) {
	eachMessage(b, func(b *testing.B, wire []byte) int {
		for i := 0; ; i++ {
			p, n, err := Parse(wire, 16<<20)
			if n == 0 || err != nil {
				return i
			}
			if !checked(p, i) {
				b.Fatal(i)
			}
			wire = wire[n:]
		}
	})
}

// BenchmarkNextInPieces feeds the stream in pieces of 1,000 bytes, so that messages and headers are cut.
func BenchmarkNextInPieces(b *testing.B) {
	eachMessage(b, func(b *testing.B, wire []byte) int {
		var r Reader
		found := 0
		for len(wire) > 0 {
			piece := wire[:min(1000, len(wire))]
			wire = wire[len(piece):]
			for {
				e, p, n, err := r.Next(piece)
				if e == Nothing || err != nil {
					break
				}
				if (e == Message || e == Begin && len(p) > 0) && p[0] != byte(found) || (e == Message || e == End) && p[len(p)-1] != byte(found>>8) {
					b.Fatal(e, found)
				}
				if e == Message || e == End {
					found++
				}
				piece = piece[n:]
			}
		}
		return found
	})
}

// BenchmarkNextSlow is what Next is measured against: each message by nextSlow.
func BenchmarkNextSlow(b *testing.B) {
	eachMessage(b, func(b *testing.B, wire []byte) int {
		var r Reader
		for i := 0; ; i++ {
			e, p, n, err := r.nextSlow(wire)
			if e == Nothing || err != nil {
				return i
			}
			if !checked(p, i) {
				b.Fatal(i)
			}
			wire = wire[n:]
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	for _, size := range benchSizes {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := bytes.Repeat([]byte{'x'}, size)
			out := make([]byte, 0, HeaderSize+size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				out = Append(out[:0], p)
			}
			if got, n, err := Parse(out, 0); n != len(out) || err != nil || !bytes.Equal(got, p) {
				b.Fatal(n, err)
			}
		})
	}
}
