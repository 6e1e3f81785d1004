package http1

import (
	"encoding/binary"
	"math/bits"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

const (
	ones  = 0x0101010101010101 // a byte times ones is that byte in all eight lanes
	highs = 0x8080808080808080
)

// below returns a word whose lowest set bit is the top bit of the lowest lane of x that holds less than n (n <= 0x80).
// Higher lanes may be set wrongly, by the borrow of one below.
func below(x uint64, n uint64) uint64 { return (x - n*ones) &^ x & highs }

// equal does the same for lanes that hold c.
func equal(x uint64, c uint64) uint64 { return below(x^c*ones, 1) }

// lane returns which lane the lowest set bit of m is in.
func lane(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// indexControl returns the index of the first byte of b at i or later that no field value may hold: a control byte
// other than HTAB, so the end of the line too. It returns len(b) if there is none. Eight bytes at a time.
func indexControl(b []byte, i int) int {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i:])
		m := below(x, ' ') | equal(x, 0x7f)
		if m == 0 {
			i += 8
			continue
		}
		if i += lane(m); b[i] != '\t' {
			return i
		}
		i++
	}
	return ascii.Span(b, i, ascii.Value)
}

// indexTargetEnd returns the index of the first byte of b at i or later that no request-target may hold: SP, which
// ends it, a control byte, "#" or one beyond ASCII. It returns len(b) if there is none. Eight bytes at a time.
func indexTargetEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if m := below(x, ' '+1) | equal(x, 0x7f) | equal(x, '#') | x&highs; m != 0 {
			return i + lane(m)
		}
	}
	return ascii.Span(b, i, ascii.Target)
}
