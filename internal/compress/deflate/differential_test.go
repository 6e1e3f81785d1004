package deflate

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// skewed returns bytes; each is about 1.6 times as frequent as the next: their codes become as long as codes
// may be.
func skewed() []byte {
	var out []byte
	a, b := 1, 1
	for c := range 24 {
		out = append(out, bytes.Repeat([]byte{byte(c * 11)}, a)...)
		a, b = b, a+b
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// ending is how a message ends.
type ending int

const (
	flushed ending = iota // with the empty block of RFC 7692 §7.2.1
	finals                // with a final block and the empty one behind it: §7.2.3.4
	bare                  // with a final block and nothing behind it
)

var endings = []ending{flushed, finals, bare}

// theirs returns what the standard library makes of plain, cut as a message.
func theirs(t *testing.T, plain, past []byte, level int, end ending) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriterDict(&out, level, past)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(plain[:len(plain)/2])
	w.Flush()
	w.Write(plain[len(plain)/2:])
	switch end {
	case flushed:
		w.Flush()
		return bytes.TrimSuffix(out.Bytes(), []byte("\x00\x00\xff\xff"))
	case finals:
		w.Close()
		return append(out.Bytes(), 0)
	}
	w.Close()
	return out.Bytes()
}

// What the standard library compresses is decompressed, at every level, with a history and without.
func TestTheirMessages(t *testing.T) {
	past := samples()[7][:20000]
	levels := []int{flate.HuffmanOnly, flate.DefaultCompression, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	if raceEnabled {
		levels = []int{flate.HuffmanOnly, 0, 1, 6} // one of each way to compress: nothing here is shared
	}
	for i, plain := range append(samples(), skewed()) {
		for _, level := range levels {
			for _, end := range endings {
				for _, past := range [][]byte{nil, past} {
					got, err := Decompress(theirs(t, plain, past, level, end), past, 15, int64(len(plain)))
					if err != nil || !bytes.Equal(got, plain) {
						t.Errorf("message %d, level %d, end %d: %d bytes of %d, %v", i, level, end, len(got), len(plain), err)
					}
					bufpool.Put(got)
				}
			}
		}
	}
}

// Damaged messages give the result of the oracle.
func TestDamagedMessages(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var whole [][]byte
	for _, plain := range append(samples(), skewed()) {
		plain = plain[:min(len(plain), 3000)]
		for _, level := range []int{flate.HuffmanOnly, 0, 1, 6} {
			whole = append(whole, theirs(t, plain, nil, level, endings[r.IntN(len(endings))]))
		}
	}
	read := 0
	for range 5000 {
		p := bytes.Clone(whole[r.IntN(len(whole))])
		for range r.IntN(3) {
			p[r.IntN(min(len(p), 1+r.IntN(200)))] ^= 1 << r.IntN(8)
		}
		if r.IntN(3) == 0 {
			p = p[:r.IntN(len(p)+1)]
		}
		want, ok := oracle(p, nil)
		got, err := Decompress(p, nil, 15, 0)
		if (err == nil) != ok || ok && !bytes.Equal(got, want) {
			t.Fatalf("%x:\n%q, %v, want\n%q", p, got, err, want)
		}
		if ok {
			read++
		}
		bufpool.Put(got)
	}
	if read < 1000 || read > 4000 {
		t.Errorf("%d of 5000 could be read", read)
	}
}
