package http1

import (
	"encoding/binary"
	"math/bits"

	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

const (
	ones  = 0x0101010101010101 // c*ones has the byte c in all eight lanes
	highs = 0x8080808080808080
)

// below returns a word in which the top bit of a lane tells whether this lane of x is less than n (n <= 0x80). It may be
// wrong for lanes beyond ASCII, and, because of a borrow, for lanes above the lowest one that is less.
func below(x, n uint64) uint64 { return x - n*ones }

// above does the same for lanes that are greater than n.
func above(x, n uint64) uint64 { return x + (0x7f-n)*ones }

// equal does the same for lanes that equal c.
func equal(x, c uint64) uint64 { return below(x^c*ones, 1) }

// lane returns the index of the lane that contains the lowest set bit of m.
func lane(m uint64) int { return bits.TrailingZeros64(m) >> 3 }

// indexControl returns the index of the first byte of b at i or later that is not allowed in a field value: a control
// byte other than HTAB, which includes the end of the line. It returns len(b) if there is none. It skips eight bytes at
// a time as long as they are printable ASCII.
func indexControl(b []byte, i int) int {
	for i = max(i, 0); i <= len(b)-8; i += 8 { // max: then the compiler needs no check of the bounds
		x := binary.LittleEndian.Uint64(b[i:])
		if m := (below(x, ' ') | above(x, '~')) & highs; m != 0 {
			i += lane(m)
			break
		}
	}
	return ascii.Span(b, i, ascii.Value)
}

// indexTargetEnd returns the index of the first byte of b at i or later that is not allowed in a request-target: SP,
// which ends it, a control byte, "#", or a byte beyond ASCII. It returns len(b) if there is none. It reads eight bytes
// at a time. Of the bytes beyond ASCII, 0xff shows in below and all others in above, here as in indexControl.
func indexTargetEnd(b []byte, i int) int {
	for i = max(i, 0); i <= len(b)-8; i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		if m := (below(x, ' '+1) | above(x, '~') | equal(x, '#')) & highs; m != 0 {
			return i + lane(m)
		}
	}
	return ascii.Span(b, i, ascii.Target)
}

// indexNameEnd returns the index of the first byte of b at i or later that is not allowed in a field name. It returns
// len(b) if there is none. It reads eight bytes at a time as long as they are letters. Every byte beyond ASCII shows in
// below or above.
func indexNameEnd(b []byte, i int) int {
	for i <= len(b)-8 {
		lower := binary.LittleEndian.Uint64(b[i:]) | ('a'-'A')*ones
		m := (below(lower, 'a') | above(lower, 'z')) & highs
		if m == 0 {
			i += 8
			continue
		}
		if i += lane(m); !ascii.Is(b[i], ascii.Token) {
			return i
		}
		i++
	}
	return ascii.Span(b, i, ascii.Token)
}
