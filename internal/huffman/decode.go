package huffman

import (
	"encoding/binary"
	"slices"
)

// MaxLen returns how many bytes Decode wants as room for n bytes of code: what they may hold, which is 8/5 of n, and the
// eight that are stored at once.
func MaxLen(n int) int { return n + n>>1 + n>>3 + 2 + 8 }

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
	at, from := 0, 0
	var acc uint64 // what is to be decoded, from the top
	var n uint     // how many bits of it are there
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
		// Four look-ups need no more than is there, and have up to eight symbols, which are stored at once. A look-up that
		// meets a long code changes nothing.
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
		symbol, m := long(acc)
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

// decodeEnd decodes the last n bits, which stand in acc, and looks at the padding.
func decodeEnd(room []byte, at int, acc uint64, n uint) (int, bool) {
	for !isPadding(acc, n) {
		if e := table[acc>>(64-width)]; e != 0 && e.bits() <= n {
			binary.LittleEndian.PutUint16(room[at:], uint16(e.text()))
			at += int(e.textBits() / 8)
			acc <<= e.bits()
			n -= e.bits()
			continue
		}
		symbol, bits := long(acc)
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

// load returns b, which has less than eight bytes, at the top of a number.
func load(b []byte) uint64 {
	switch n := len(b); {
	case n >= 4: // the two halves may overlap
		return uint64(binary.BigEndian.Uint32(b))<<32 | uint64(binary.BigEndian.Uint32(b[n-4:]))<<(64-8*n)
	case n > 0:
		return uint64(b[0])<<56 | uint64(b[n/2])<<(56-8*(n/2)) | uint64(b[n-1])<<(64-8*n)
	}
	return 0
}

// isPadding reports whether the top n bits of acc may stand behind the last symbol: less than a byte, all ones
// (RFC 7541 §5.2). No symbol begins like that.
func isPadding(acc uint64, n uint) bool {
	return n < 8 && acc>>(64-n) == 1<<n-1
}
