package utf8x

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

// edges are the bytes at which a row of RFC 3629 §4 begins or ends, and one on the other side of it.
var edges = []byte{0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
	0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF}

// parts are whole code points of every length, at the bounds of each length.
var parts = []string{"\x00", "a", "\x7f", "\u0080", "é", "\u07ff", "\u0800", "字", "\ud7ff", "\ue000", "\uffff", "\U00010000", "🦈", "\U0010ffff"}

// faults are texts that are bad at their last byte, and nowhere before.
var faults = []string{"\x80", "\xbf", "\xc0", "\xc1", "\xf5", "\xf8", "\xff", "\xc3\x28", "\xc3\xc3", "\xe0\x80", "\xe0\x9f", "\xed\xa0", "\xed\xbf",
	"\xe5\xad\x41", "\xe5\xad\xe5", "\xf0\x80", "\xf0\x8f", "\xf4\x90", "\xf4\xbf", "\xf0\x9f\xa6\x41", "\xf0\x9f\xa6\xf0", "é\x80", "字\x80", "🦈\x80"}

func check(t *testing.T, b []byte) {
	t.Helper()
	if got, want := Valid(b), utf8.Valid(b); got != want {
		t.Fatalf("Valid(%d bytes %x) = %t, unicode/utf8 says %t", len(b), b, got, want)
	}
	var v Validator
	n, ok := v.Write(b)
	wantN, wantOK, wantDone := byRanges(b)
	if n != wantN || ok != wantOK || v.Done() != wantDone {
		t.Fatalf("Write(%d bytes %x) = %d, %t, then Done %t; want %d, %t, %t", len(b), b, n, ok, v.Done(), wantN, wantOK, wantDone)
	}
}

// Valid agrees with unicode/utf8 on every text of one, two and three bytes.
func TestEveryOneTwoAndThreeBytes(t *testing.T) {
	b := make([]byte, 3)
	for x := range 1 << 24 {
		b[0], b[1], b[2] = byte(x>>16), byte(x>>8), byte(x)
		for n := 1; n <= 3; n++ {
			if n < 3 && b[n] != 0 || n == 1 && b[2] != 0 {
				continue // once is enough
			}
			if Valid(b[:n]) != utf8.Valid(b[:n]) {
				t.Fatalf("Valid(%x) = %t", b[:n], Valid(b[:n]))
			}
		}
	}
}

// Valid agrees with unicode/utf8 on all edge bytes inside a block, where the assembly decides: at the start, across two
// blocks, and in the last one.
func TestEveryEdgeInsideBlocks(t *testing.T) {
	for _, at := range []int{0, 30, 62, 93} {
		b := bytes.Repeat([]byte("a"), 100)
		four := b[at : at+4]
		for _, four[0] = range edges {
			for _, four[1] = range edges {
				for _, four[2] = range edges {
					for _, four[3] = range edges {
						if Valid(b) != utf8.Valid(b) {
							t.Fatalf("Valid(%x at %d of 100 bytes) = %t", four, at, Valid(b))
						}
					}
				}
			}
		}
	}
}

// Valid agrees with unicode/utf8 on every pair of bytes at the border of two blocks.
func TestEveryPairInsideBlocks(t *testing.T) {
	for _, lead := range []string{"", "\xe5", "\xf1", "\xf0\x9f"} {
		b := bytes.Repeat([]byte("a"), 100)
		copy(b[31-len(lead):], lead)
		for x := range 1 << 16 {
			b[31], b[32] = byte(x>>8), byte(x)
			check(t, b)
		}
	}
}

// A fault is found at every offset of a text.
func TestFaultsAtEveryOffset(t *testing.T) {
	for _, fault := range faults {
		for _, part := range []string{"a", "é", "字", "🦈"} {
			for before := range 140 {
				for _, behind := range []int{0, 1, 31, 32, 33, 63, 64, 65} {
					b := fmt.Appendf(nil, "%s%s%s", fill(before, part), fault, fill(behind, part))
					check(t, b)
					check(t, b[:before+len(fault)-1])
				}
			}
		}
	}
}

// fill is n bytes of one code point over and over, made full with ASCII in front.
func fill(n int, part string) []byte {
	b := bytes.Repeat([]byte("x"), n%len(part))
	return append(b, bytes.Repeat([]byte(part), n/len(part))...)
}

// Valid agrees with unicode/utf8 on random texts, at every alignment.
func TestRandomTexts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3629, 6455))
	store := make([]byte, 300)
	for length := range 201 {
		for align := range 32 {
			for mutations := range 3 {
				b := store[align:align:len(store)]
				for len(b) < length {
					b = append(b, parts[rnd.IntN(len(parts))]...)
				}
				b = b[:length] // the last code point may be cut off
				for range mutations {
					if length > 0 {
						b[rnd.IntN(length)] = edges[rnd.IntN(len(edges))]
					}
				}
				check(t, b)
			}
		}
	}
}

// Valid and a Validator do not allocate.
func TestValidKeepsNothing(t *testing.T) {
	b := bytes.Repeat([]byte("字"), 400)
	var v Validator
	if n := testing.AllocsPerRun(100, func() { Valid(b); v.Write(b); v.Reset() }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// Valid agrees with unicode/utf8, and with a Validator wherever the text is cut.
func FuzzValid(f *testing.F) {
	for _, s := range append(faults, parts...) {
		f.Add([]byte(s), uint8(0))
		f.Add(fmt.Appendf(nil, "%s%s", fill(62, "字"), s), uint8(63))
	}
	f.Fuzz(func(t *testing.T, b []byte, cut uint8) {
		check(t, b)
		check(t, append(fill(int(cut), "字"), b...))
		checkCut(t, b, min(int(cut), len(b)))
	})
}
