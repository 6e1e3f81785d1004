package utf8x

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// byRanges is the Validator again, a byte at a time and from the text of RFC 3629 §4 alone: how many bytes of b are
// good, whether all are, and whether the text may end there.
func byRanges(b []byte) (n int, ok, done bool) {
	more := 0                     // continuations to come
	low, high := byte(0), byte(0) // the bounds of the next byte
	for i, c := range b {
		switch {
		case more > 0:
			if c < low || c > high {
				return i, false, false
			}
			more, low, high = more-1, 0x80, 0xBF
		case c <= 0x7F:
		case c >= 0xC2 && c <= 0xDF:
			more, low, high = 1, 0x80, 0xBF
		case c == 0xE0:
			more, low, high = 2, 0xA0, 0xBF
		case c == 0xED:
			more, low, high = 2, 0x80, 0x9F
		case c >= 0xE1 && c <= 0xEF:
			more, low, high = 2, 0x80, 0xBF
		case c == 0xF0:
			more, low, high = 3, 0x90, 0xBF
		case c >= 0xF1 && c <= 0xF3:
			more, low, high = 3, 0x80, 0xBF
		case c == 0xF4:
			more, low, high = 3, 0x80, 0x8F
		default:
			return i, false, false
		}
	}
	return len(b), true, more == 0
}

// checkCut writes b in pieces that end at cuts, and expects the result of byRanges for the whole.
func checkCut(t *testing.T, b []byte, cuts ...int) {
	t.Helper()
	var v Validator
	total, ok, from := 0, true, 0
	for _, to := range append(cuts, len(b)) {
		n, good := v.Write(b[from:to])
		if ok {
			total += n
		} else if n != 0 || good {
			t.Fatalf("Write after a bad byte of %x = %d, %t; want 0, false", b, n, good)
		}
		ok, from = ok && good, to
	}
	wantN, wantOK, wantDone := byRanges(b)
	if total != wantN || ok != wantOK || v.Done() != wantDone {
		t.Fatalf("%x cut at %v: %d, %t, Done %t; want %d, %t, %t", b, cuts, total, ok, v.Done(), wantN, wantOK, wantDone)
	}
}

// The reported byte is the first one with which the text cannot be valid.
func TestBadByteIsTheFirstThatCannotBe(t *testing.T) {
	for _, fault := range faults {
		var v Validator
		for i := range len(fault) {
			last := i == len(fault)-1
			if n, ok := v.Write([]byte{fault[i]}); ok == last {
				t.Errorf("%x: Write of byte %d = %d, %t", fault, i, n, ok)
			}
		}
		if v.Done() {
			t.Errorf("%x: Done after a bad byte", fault)
		}
		v.Reset()
		if n, ok := v.Write([]byte("字")); n != 3 || !ok || !v.Done() {
			t.Errorf("%x: a good text after Reset = %d, %t, Done %t", fault, n, ok, v.Done())
		}
	}
}

// A Validator finds the same faults wherever the text is cut in two.
func TestEveryCut(t *testing.T) {
	for _, middle := range append(faults, parts...) {
		for _, part := range []string{"a", "é", "字", "🦈"} {
			for _, before := range []int{0, 1, 30, 31, 32, 63, 64, 65, 100} {
				b := append(fill(before, part), middle...)
				b = append(b, fill(70, part)...)
				for cut := range len(b) + 1 {
					checkCut(t, b, cut)
				}
			}
		}
	}
}

// A Validator finds the same faults in texts that are cut into many pieces.
func TestManyCuts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3629, 4))
	for range 20000 {
		var b []byte
		for length := rnd.IntN(300); len(b) < length; {
			b = append(b, parts[rnd.IntN(len(parts))]...)
		}
		if len(b) > 0 && rnd.IntN(2) == 0 {
			b[rnd.IntN(len(b))] = edges[rnd.IntN(len(edges))]
		}
		var cuts []int
		for at := 0; at < len(b); at += rnd.IntN(90) {
			cuts = append(cuts, at)
		}
		checkCut(t, b, cuts...)
	}
}

// Empty pieces change nothing, and a long piece of continuation bytes is refused at its first byte.
func TestEmptyPiece(t *testing.T) {
	var v Validator
	for _, piece := range [][]byte{nil, {0xE5}, {}, {0xAD}, nil, {0x97}} {
		if n, ok := v.Write(piece); n != len(piece) || !ok {
			t.Fatalf("Write(%x) = %d, %t", piece, n, ok)
		}
	}
	if !v.Done() {
		t.Error("not Done behind a whole code point")
	}
	if n, ok := v.Write(bytes.Repeat([]byte{0x80}, 99)); n != 0 || ok {
		t.Errorf("Write(99 continuations) = %d, %t", n, ok)
	}
}
