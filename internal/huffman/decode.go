package huffman

import (
	"encoding/binary"
	"slices"
)

// slack is how many bytes a look-up may write behind what counts.
const slack = 1

// MaxLen returns how many bytes n bytes of code may hold at most, and Decode wants as room.
func MaxLen(n int) int { return n/minBits*8 + n%minBits*8/minBits + slack }

// MinLen returns how many bytes n bytes of valid code hold at least.
func MinLen(n int) int { return n/maxBits*8 + max(0, n%maxBits*8-7+maxBits-1)/maxBits }

// Decode appends what the code in src stands for to dst and returns the longer slice. If dst has room for
// MaxLen(len(src)) bytes nothing is allocated; bytes of that room behind the result may be changed.
//
// ok is false, and dst returned as it was, for what RFC 7541 §5.2 forbids: EOS, padding of eight bits or more, and
// padding that is not the beginning of EOS.
func Decode(dst, src []byte) (out []byte, ok bool) {
	dst = slices.Grow(dst, MaxLen(len(src)))
	room := dst[len(dst):cap(dst)]
	at := 0
	var acc uint64 // what is to be decoded, from the top
	var n uint     // how many bits of it are there
	for len(src) >= 8 {
		acc |= binary.BigEndian.Uint64(src) >> n
		src = src[(63-n)/8:]
		n |= 56
		// Four look-ups need no more than is there; one that meets a long code changes nothing.
		var e entry
		for range 56 / width {
			e = table[acc>>(64-width)]
			binary.LittleEndian.PutUint16(room[at:], uint16(e))
			at += e.symbols()
			acc <<= e.bits()
			n -= e.bits()
		}
		if e != 0 || n < maxBits {
			continue
		}
		symbol, bits := long(acc)
		if symbol == eos {
			return dst, false
		}
		room[at] = byte(symbol)
		at++
		acc <<= bits
		n -= bits
	}
	at, ok = decodeEnd(room, at, src, acc, n)
	if !ok {
		return dst, false
	}
	return dst[:len(dst)+at], true
}

// decodeEnd decodes the n bits in acc and what is left of src, symbol by symbol, and looks at the padding.
func decodeEnd(room []byte, at int, src []byte, acc uint64, n uint) (int, bool) {
	for {
		for n <= 56 && len(src) > 0 {
			acc |= uint64(src[0]) << (56 - n)
			src = src[1:]
			n += 8
		}
		var symbol uint16
		var bits uint
		if e := table[acc>>(64-width)]; e != 0 {
			if e.bits() <= n {
				binary.LittleEndian.PutUint16(room[at:], uint16(e))
				at += e.symbols()
				acc <<= e.bits()
				n -= e.bits()
				continue
			}
			symbol, bits = uint16(e&0xFF), e.firstBits()
		} else {
			symbol, bits = long(acc)
		}
		if bits > n {
			return at, isPadding(acc, n)
		}
		if symbol == eos {
			return at, false
		}
		room[at] = byte(symbol)
		at++
		acc <<= bits
		n -= bits
	}
}

// isPadding tells whether the top n bits of acc may stand behind the last symbol: less than a byte, all ones
// (RFC 7541 §5.2).
func isPadding(acc uint64, n uint) bool {
	return n < 8 && acc>>(64-n) == 1<<n-1
}
