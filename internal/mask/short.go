package mask

import "encoding/binary"

// Up to two words are masked as two pieces of one size, the first and the last, which overlap where they have to. Both
// are loaded before the first is stored, because in place that store changes what the last overlaps.
//
// These functions return all that they wrote ORed together. They are small enough for the compiler to put them into
// their callers: one more call would cost as much as the work.

// xorTwoWords masks 8 to 16 octets. len(dst) is len(src).
func xorTwoWords(dst, src []byte, key uint32) (seen uint64) {
	n := len(src)
	first := binary.LittleEndian.Uint64(src) ^ double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	binary.LittleEndian.PutUint64(dst, first)
	binary.LittleEndian.PutUint64(dst[n-8:], last)
	return first | last
}

// xorTwoHalves masks 4 to 8 octets, by half words. len(dst) is len(src).
func xorTwoHalves(dst, src []byte, key uint32) (seen uint64) {
	n := len(src)
	first := binary.LittleEndian.Uint32(src) ^ key
	last := binary.LittleEndian.Uint32(src[n-4:]) ^ turn(key, n)
	binary.LittleEndian.PutUint32(dst, first)
	binary.LittleEndian.PutUint32(dst[n-4:], last)
	return uint64(first | last)
}

// xorFew masks at most the four octets that the key has. len(dst) is len(src).
func xorFew(dst, src []byte, key uint32) (seen uint64) {
	for i, octet := range src {
		octet ^= byte(key)
		dst[i] = octet
		seen |= uint64(octet)
		key >>= 8
	}
	return seen
}
