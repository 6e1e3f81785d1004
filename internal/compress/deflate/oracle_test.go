package deflate

import (
	"bytes"
	"compress/flate"
	"io"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
)

// mark is what the oracle is told behind a message, to see that the message has ended there.
const mark = "\x13a mark that ends everything\x37"

// oracle is what the standard library makes of a message. ok is false if it is none: if it does not end where it is told
// to, or if the end that did not travel says anything. A message that ends with a final block needs no such end.
func oracle(p, past []byte) (plain []byte, ok bool) {
	if plain, err := inflate(p, past); err == nil && len(p) > 0 {
		return plain, true
	}
	in := append(append([]byte{}, p...), "\x00\x00\xff\xff"...)
	in = append(in, 1, byte(len(mark)), 0, 0xff-byte(len(mark)), 0xff)
	said, err := inflate(append(in, mark...), past)
	if err != nil {
		return nil, false
	}
	alone, _ := inflate(p, past)
	plain, ok = bytes.CutSuffix(said, []byte(mark))
	return plain, ok && bytes.Equal(plain, alone)
}

// inflate reads all that p says, also behind final blocks.
func inflate(p, past []byte) ([]byte, error) {
	r := bytes.NewReader(p)
	said := append([]byte{}, past...)
	for r.Len() > 0 {
		more, err := io.ReadAll(flate.NewReaderDict(r, said[max(0, len(said)-1<<15):]))
		said = append(said, more...)
		if err != nil {
			return said[len(past):], err
		}
	}
	return said[len(past):], nil
}

// Any bytes give the result of compress/flate.
func FuzzDecompress(f *testing.F) {
	for _, seed := range []string{
		"", "\x00", "\xf2\x48\xcd\xc9\xc9\x07\x00", "\xf3\x48\xcd\xc9\xc9\x07\x00\x00", "\xf2\x00\x11\x00\x00",
		"\x00\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f\x00", "\xf2\x48\x05\x00\x00\x00\xff\xff\xca\xc9\xc9\x07\x00", "\x03\x00\x00",
		"\xf3\x48\xcd\xc9\xc9\x07\x00", "\x01\x05\x00\xfa\xff\x48\x65\x6c\x6c\x6f", "\xf3\x48\x05\x00\xcb\xc9\xc9\x07\x00",
		"\x04\x00\x00\x00\x00\x00\x00\x00\x00", "\xed\xc1\x01\x01\x00\x00\x00\x80\x90\xfe\xaf\xee\x08\x0a\x00",
	} {
		f.Add([]byte(seed), []byte("Hello"), uint16(0))
	}
	for _, plain := range samples() {
		p, err := Compress(plain, 15)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(p), []byte{}, uint16(1000))
	}
	f.Fuzz(func(t *testing.T, p, past []byte, limit uint16) {
		before := bytes.Clone(p)
		want, ok := oracle(p, past)
		got, err := Decompress(p, past, 15, int64(limit))
		defer bufpool.Put(got)
		switch {
		case !bytes.Equal(p, before):
			t.Error("the message was changed")
		case err == nil && !ok:
			t.Errorf("%q of what is none", got)
		case err == nil && !bytes.Equal(got, want):
			t.Errorf("%q, want %q", got, want)
		case err == nil && limit > 0 && len(got) > int(limit):
			t.Errorf("%d bytes with a limit of %d", len(got), limit)
		case err == ErrTooBig && ok && (limit == 0 || len(want) <= int(limit)):
			t.Errorf("%d bytes are too big for %d", len(want), limit)
		case err == ErrCorrupt && ok:
			t.Errorf("refused; it says %q", want)
		}
	})
}

// What is compressed is decompressed to the same bytes.
func FuzzRoundTrip(f *testing.F) {
	for i, plain := range samples() {
		f.Add(plain, uint8(8+i%8), uint8(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, plain []byte, bits, cut uint8, takeover bool) {
		bits = MinBits + bits%(MaxBits-MinBits+1)
		c, d := NewCompressor(int(bits), takeover), NewDecompressor(int(bits), takeover)
		defer c.Drop()
		defer d.Drop()
		var past []byte
		for i := range 4 {
			p := plain[min(len(plain), i*int(cut)):]
			small, err := c.Message(p)
			if err != nil {
				t.Fatal(err)
			}
			if want, ok := oracle(small, past); !ok || !bytes.Equal(want, p) {
				t.Errorf("message %d: the oracle reads %d bytes of %d", i, len(want), len(p))
			}
			if takeover {
				past = append(past, p...)
			}
			got, err := d.Message(small, int64(len(p)))
			if err != nil || !bytes.Equal(got, p) {
				t.Errorf("message %d: %d bytes of %d, %v", i, len(got), len(p), err)
			}
			bufpool.Put(small)
			bufpool.Put(got)
		}
	})
}
