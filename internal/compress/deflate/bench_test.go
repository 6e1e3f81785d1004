package deflate

import (
	"bytes"
	std "compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// The figures of docs/decisions/0004-own-inflater.md.

// talk returns messages as applications send them, none like another: records of the same few fields.
func talk(size int) [][]byte {
	r := rand.New(rand.NewPCG(1, 9))
	words := strings.Fields("market order limit price volume bid ask trader symbol filled partial cancelled pending account " +
		"balance margin long short position open closed update snapshot depth level trade quote exchange currency future option")
	word := func() string { return words[r.IntN(len(words))] }
	messages := make([][]byte, max(8, 512<<10/size))
	for i := range messages {
		var s strings.Builder
		for s.Len() < size {
			fmt.Fprintf(&s, `{"type":"%s","id":%d,"user":"%s_%d","text":"%s %s %s","price":%d.%02d,"on":%v},`, word(), r.IntN(1e6), word(),
				r.IntN(1000), word(), word(), word(), r.IntN(9999), r.IntN(100), r.IntN(2) == 0)
		}
		messages[i] = []byte(s.String()[:size])
	}
	return messages
}

// library is how a message is decompressed with a reader of a library: the same lease that grows, the same limit, and a
// past that the reader copies into its own window.
type library struct {
	r    io.ReadCloser
	in   bytes.Reader
	last [1]byte // a full lease need not grow if the message has ended
}

func newLibrary() *library { return &library{r: flate.NewReader(nil)} }

// unsent ends every message for a reader: the end of its last block, and a block that ends the stream.
const unsent = "\x00\x00\xff\xff\x01\x00\x00\xff\xff"

// decompress is Decompress of a message that has been given its end.
func (l *library) decompress(p, past []byte, limit int) (out []byte, err error) {
	l.in.Reset(p)
	if err := l.r.(flate.Resetter).Reset(&l.in, past); err != nil {
		return nil, err
	}
	out = bufpool.Get(4 * len(p))[:0]
	for err == nil {
		var n int
		if at := len(out); at < cap(out) {
			n, err = l.r.Read(out[at:cap(out)])
			out = out[:at+n]
		} else if n, err = l.r.Read(l.last[:]); n > 0 {
			out = append(bufpool.Grow(out, 2*at)[:at], l.last[0])
		}
		if len(out) > limit {
			err = ErrTooBig
		}
	}
	if errors.Is(err, io.EOF) {
		return out, nil
	}
	bufpool.Put(out)
	return nil, err
}

// pack compresses messages as peers do that use zlib, and gives them their end.
func pack(plain [][]byte, takeover bool) (packed [][]byte) {
	var out bytes.Buffer
	w, _ := std.NewWriter(&out, std.DefaultCompression)
	for _, p := range plain {
		out.Reset()
		if !takeover {
			w.Reset(&out)
		}
		w.Write(p)
		w.Flush()
		packed = append(packed, append(bytes.Clone(out.Bytes()), unsent[4:]...))
	}
	return packed
}

// Decompressing whole messages is measured.
func BenchmarkDecompress(b *testing.B) {
	for _, takeover := range []bool{false, true} {
		for _, size := range []int{64, 1 << 10, 16 << 10, 1 << 20} {
			name := fmt.Sprintf("takeover=%v/%d", takeover, size)
			packed := pack(talk(size), takeover)
			measure := func(b *testing.B, decompress func(p []byte) ([]byte, error)) {
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					got, err := decompress(packed[i%len(packed)])
					if err != nil || len(got) != size {
						b.Fatal(len(got), err)
					}
					bufpool.Put(got)
				}
			}
			b.Run(name+"/of=own", func(b *testing.B) {
				d := NewDecompressor(MaxBits, takeover)
				measure(b, func(p []byte) ([]byte, error) { return d.Message(p[:len(p)-len(unsent)], 1<<20) })
			})
			b.Run(name+"/of=library", func(b *testing.B) {
				l := newLibrary()
				var past []byte
				measure(b, func(p []byte) ([]byte, error) {
					got, err := l.decompress(p, past[max(0, len(past)-1<<MaxBits):], 1<<20)
					if takeover {
						past = remember(past, got, 1<<MaxBits, DecompressorSize(MaxBits))
					}
					return got, err
				})
			})
		}
	}
}

// B/op is the memory that decompressing needs at all.
func BenchmarkMake(b *testing.B) {
	b.Run("of=own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			kept = new(decoder)
		}
	})
	b.Run("of=library", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			l := newLibrary()
			l.decompress([]byte("\xf2\x48\xcd\xc9\xc9\x07\x00"+unsent), nil, 5)
			kept = l
		}
	})
}

var kept any
