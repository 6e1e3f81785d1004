package mask

import "encoding/binary"

// The words below are little-endian on every machine, as the key is: on a big-endian one the compiler swaps the
// bytes of each load and store, and nothing else changes.

// highBits are the bits that no ASCII octet has.
const highBits = 0x8080808080808080

// xorWords is XOR without its result, in plain Go, for at least word octets. len(dst) is len(src).
//
// What does not fill a word at the end is covered by one more word that ends with src and overlaps the one before.
// It is loaded before the first store, because in place those stores change what it overlaps.
func xorWords(dst, src []byte, key uint32) {
	n := len(src)
	key64 := double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	end := dst[n-8 : n]
	for len(src) >= 64 && len(dst) >= 64 {
		s, d := (*[64]byte)(src), (*[64]byte)(dst)
		xorWord(d[0:8], s[0:8], key64)
		xorWord(d[8:16], s[8:16], key64)
		xorWord(d[16:24], s[16:24], key64)
		xorWord(d[24:32], s[24:32], key64)
		xorWord(d[32:40], s[32:40], key64)
		xorWord(d[40:48], s[40:48], key64)
		xorWord(d[48:56], s[48:56], key64)
		xorWord(d[56:64], s[56:64], key64)
		src, dst = src[64:], dst[64:]
	}
	for len(src) > 8 && len(dst) > 8 {
		xorWord(dst[:8], src[:8], key64)
		src, dst = src[8:], dst[8:]
	}
	binary.LittleEndian.PutUint64(end, last)
}

// xorWordsASCII is XORASCII without the key it returns, in plain Go, for at least word octets.
// len(dst) is len(src). See xorWords.
func xorWordsASCII(dst, src []byte, key uint32) bool {
	n := len(src)
	key64 := double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	seen := last
	end := dst[n-8 : n]
	for len(src) >= 64 && len(dst) >= 64 {
		s, d := (*[64]byte)(src), (*[64]byte)(dst)
		a := xorWord(d[0:8], s[0:8], key64) | xorWord(d[8:16], s[8:16], key64)
		b := xorWord(d[16:24], s[16:24], key64) | xorWord(d[24:32], s[24:32], key64)
		a |= xorWord(d[32:40], s[32:40], key64) | xorWord(d[40:48], s[40:48], key64)
		b |= xorWord(d[48:56], s[48:56], key64) | xorWord(d[56:64], s[56:64], key64)
		seen |= a | b
		src, dst = src[64:], dst[64:]
	}
	for len(src) > 8 && len(dst) > 8 {
		seen |= xorWord(dst[:8], src[:8], key64)
		src, dst = src[8:], dst[8:]
	}
	binary.LittleEndian.PutUint64(end, last)
	return seen&highBits == 0
}

// xorWord masks one word and returns what it wrote.
func xorWord(dst, src []byte, key uint64) uint64 {
	masked := binary.LittleEndian.Uint64(src) ^ key
	binary.LittleEndian.PutUint64(dst, masked)
	return masked
}

// double returns the key twice, for a word of eight octets.
func double(key uint32) uint64 {
	return uint64(key)<<32 | uint64(key)
}
