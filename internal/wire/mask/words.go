package mask

import "encoding/binary"

// Words are little-endian on every machine, like the key: on a big-endian machine the compiler swaps the bytes of each
// load and store.
//
// The bytes at the end that do not fill a word are masked with one more word that ends where src ends and overlaps the
// word before. It is loaded before the first store, because in place those stores would change the overlap.
//
// A block is sliced with both bounds, src[i : i+64], and its words with constant bounds. So the loop needs no bounds
// checks, and no instructions that keep a pointer from pointing behind the end of a slice.

// highBits has the high bit of each byte, which is never set in ASCII.
const highBits = 0x8080808080808080

// xorWords is XOR without the result, in plain Go, for at least one word. len(dst) must be len(src).
//
// The words of a block are written out instead of calling xorWord: the compiler marks an inlined call with a NOP or two,
// which would make this loop half as slow again. Beside the ORs of xorWordsASCII they cost nothing.
func xorWords(dst, src []byte, key uint32) {
	n, key64 := len(src), double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	dst = dst[:n:n]
	for i := 0; i <= n-64; i += 64 {
		s, d := (*[64]byte)(src[i:i+64]), (*[64]byte)(dst[i:i+64])
		binary.LittleEndian.PutUint64(d[0:8], binary.LittleEndian.Uint64(s[0:8])^key64)
		binary.LittleEndian.PutUint64(d[8:16], binary.LittleEndian.Uint64(s[8:16])^key64)
		binary.LittleEndian.PutUint64(d[16:24], binary.LittleEndian.Uint64(s[16:24])^key64)
		binary.LittleEndian.PutUint64(d[24:32], binary.LittleEndian.Uint64(s[24:32])^key64)
		binary.LittleEndian.PutUint64(d[32:40], binary.LittleEndian.Uint64(s[32:40])^key64)
		binary.LittleEndian.PutUint64(d[40:48], binary.LittleEndian.Uint64(s[40:48])^key64)
		binary.LittleEndian.PutUint64(d[48:56], binary.LittleEndian.Uint64(s[48:56])^key64)
		binary.LittleEndian.PutUint64(d[56:64], binary.LittleEndian.Uint64(s[56:64])^key64)
	}
	for i := n &^ 63; i < n-8; i += 8 {
		xorWord(dst[i:i+8], src[i:i+8], key64)
	}
	binary.LittleEndian.PutUint64(dst[n-8:], last)
}

// xorWordsASCII is xorWords that returns all bytes written, ORed together.
func xorWordsASCII(dst, src []byte, key uint32) (seen uint64) {
	n, key64 := len(src), double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	dst, seen = dst[:n:n], last
	for i := 0; i <= n-64; i += 64 {
		s, d := (*[64]byte)(src[i:i+64]), (*[64]byte)(dst[i:i+64])
		seen |= xorWord(d[0:8], s[0:8], key64) | xorWord(d[8:16], s[8:16], key64)
		seen |= xorWord(d[16:24], s[16:24], key64) | xorWord(d[24:32], s[24:32], key64)
		seen |= xorWord(d[32:40], s[32:40], key64) | xorWord(d[40:48], s[40:48], key64)
		seen |= xorWord(d[48:56], s[48:56], key64) | xorWord(d[56:64], s[56:64], key64)
	}
	for i := n &^ 63; i < n-8; i += 8 {
		seen |= xorWord(dst[i:i+8], src[i:i+8], key64)
	}
	binary.LittleEndian.PutUint64(dst[n-8:], last)
	return seen
}

// xorWord masks one word and returns the bytes written.
func xorWord(dst, src []byte, key uint64) uint64 {
	masked := binary.LittleEndian.Uint64(src) ^ key
	binary.LittleEndian.PutUint64(dst, masked)
	return masked
}

// double returns the key twice, for a word of eight bytes.
func double(key uint32) uint64 {
	return uint64(key)<<32 | uint64(key)
}
