package huffman

import (
	"encoding/binary"
	"slices"
)

// MaxLen returns how much room Decode needs for n bytes of code: the most they can decode to, which is 8/5 of n, plus the
// eight bytes that are stored at once.
func MaxLen(n int) int { return n + n>>1 + n>>3 + 2 + 8 }

// MinLen returns how many bytes n bytes of valid code decode to at least.
func MinLen(n int) int { return n/maxBits*8 + max(0, n%maxBits*8-7+maxBits-1)/maxBits }

// Decode decodes src, appends the result to dst and returns the extended slice. It allocates nothing if dst has room for
// MaxLen(len(src)) more bytes. It may overwrite that room beyond the result.
//
// If src is not valid by RFC 7541 §5.2, ok is false and dst is returned unchanged: src contains EOS, or padding of eight
// bits or more, or padding that is not the beginning of EOS.
func Decode(dst, src []byte) (out []byte, ok bool) {
	dst = slices.Grow(dst, MaxLen(len(src)))
	room := dst[len(dst):cap(dst)]
	at, from := 0, 0
	var acc uint64 // bits to decode, starting at the highest bit
	var n uint     // number of bits in acc
	for {
		if next := from + 8; next <= len(src) {
			acc |= binary.BigEndian.Uint64(src[from:next]) >> (n & 63)
			from += int((63 - n) / 8)
			n |= 56
		} else {
			rest := src[from:]
			take := min(len(rest), int(63-n)/8)
			acc |= load(rest) >> (n & 63)
			from += take
			if n += uint(take) * 8; n < 56 {
				break
			}
		}
		// Four look-ups need no more bits than there are, and yield up to eight symbols, which are stored at once. A
		// look-up that finds a code longer than width changes nothing.
		e := table[acc>>(64-width)]
		acc <<= e.bits()
		n -= e.bits()
		text, bits := e.text(), e.textBits()
		e = table[acc>>(64-width)]
		acc <<= e.bits()
		n -= e.bits()
		text |= e.text() << bits
		bits += e.textBits()
		e = table[acc>>(64-width)]
		acc <<= e.bits()
		n -= e.bits()
		text |= e.text() << (bits & 63)
		bits += e.textBits()
		e = table[acc>>(64-width)]
		acc <<= e.bits()
		n -= e.bits()
		text |= e.text() << (bits & 63)
		bits += e.textBits()
		binary.LittleEndian.PutUint64(room[at:], text)
		at += int(bits / 8)
		if e != 0 || n < maxBits {
			continue
		}
		symbol, m := decodeOne(acc)
		if symbol == eos {
			return dst, false
		}
		room[at] = byte(symbol)
		at++
		acc <<= m
		n -= m
	}
	at, ok = decodeEnd(room, at, acc, n)
	if !ok {
		return dst, false
	}
	return dst[:len(dst)+at], true
}

// decodeEnd decodes the last n bits, which are in acc, and checks the padding.
func decodeEnd(room []byte, at int, acc uint64, n uint) (int, bool) {
	for !isPadding(acc, n) {
		if e := table[acc>>(64-width)]; e != 0 && e.bits() <= n {
			binary.LittleEndian.PutUint16(room[at:], uint16(e.text()))
			at += int(e.textBits() / 8)
			acc <<= e.bits()
			n -= e.bits()
			continue
		}
		symbol, bits := decodeOne(acc)
		if bits > n || symbol == eos {
			return at, false
		}
		room[at] = byte(symbol)
		at++
		acc <<= bits
		n -= bits
	}
	return at, true
}

// load returns b, which has fewer than eight bytes, in the highest bytes of a number.
func load(b []byte) uint64 {
	switch n := len(b); {
	case n >= 4: // the two halves may overlap
		return uint64(binary.BigEndian.Uint32(b))<<32 | uint64(binary.BigEndian.Uint32(b[n-4:]))<<(64-8*n)
	case n > 0:
		return uint64(b[0])<<56 | uint64(b[n/2])<<(56-8*(n/2)) | uint64(b[n-1])<<(64-8*n)
	}
	return 0
}

// isPadding reports whether the highest n bits of acc are valid after the last symbol: less than a byte, and all ones
// (RFC 7541 §5.2). No symbol begins like that.
func isPadding(acc uint64, n uint) bool {
	return n < 8 && acc>>(64-n) == 1<<n-1
}
