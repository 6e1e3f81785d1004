package http1

import (
	"encoding/binary"
	"math/bits"

	"github.com/shockwave-go/shockwave/internal/ascii"
)

const (
	ones  = 0x0101010101010101 // c*ones has the byte c in all eight lanes
	highs = 0x8080808080808080
)

// below returns a word whose lowest set bit is the top bit of the lowest lane of x that is less than n (n <= 0x80).
// Higher lanes may be set wrongly, because of a borrow from a lower one.
func below(x uint64, n uint64) uint64 { return (x - n*ones) &^ x & highs }

// equal does the same for lanes that equal c.
func equal(x uint64, c uint64) uint64 { return below(x^c*ones, 1) }

// lane returns the index of the lane that contains the lowest set bit of m.
func lane(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// indexControl returns the index of the first byte of b at i or later that is not allowed in a field value: a control
// byte other than HTAB, which includes the end of the line. It returns len(b) if there is none. It reads eight bytes at
// a time.
func indexControl(b []byte, i int) int {
	for i+8 <= len(b) {
		x := binary.LittleEndian.Uint64(b[i : i+8])
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

// indexTargetEnd returns the index of the first byte of b at i or later that is not allowed in a request-target: SP,
// which ends it, a control byte, "#", or a byte beyond ASCII. It returns len(b) if there is none. It reads eight bytes
// at a time.
func indexTargetEnd(b []byte, i int) int {
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i : i+8])
		if m := below(x, ' '+1) | equal(x, 0x7f) | equal(x, '#') | x&highs; m != 0 {
			return i + lane(m)
		}
	}
	return ascii.Span(b, i, ascii.Target)
}
