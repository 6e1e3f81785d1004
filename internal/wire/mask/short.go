package mask

import "encoding/binary"

// Up to two words are masked as two pieces of the same size, the first and the last, which may overlap. Both are loaded
// before the first is stored, because in place that store would change the overlap.
//
// These functions return all bytes written, ORed together. They are small enough to be inlined: a call would cost as
// much as the work.

// xorTwoWords masks 8 to 16 bytes. len(dst) must be len(src).
func xorTwoWords(dst, src []byte, key uint32) (seen uint64) {
	n := len(src)
	first := binary.LittleEndian.Uint64(src) ^ double(key)
	last := binary.LittleEndian.Uint64(src[n-8:]) ^ double(turn(key, n))
	binary.LittleEndian.PutUint64(dst, first)
	binary.LittleEndian.PutUint64(dst[n-8:], last)
	return first | last
}

// xorTwoHalves masks 4 to 8 bytes as two half words. len(dst) must be len(src).
func xorTwoHalves(dst, src []byte, key uint32) (seen uint64) {
	n := len(src)
	first := binary.LittleEndian.Uint32(src) ^ key
	last := binary.LittleEndian.Uint32(src[n-4:]) ^ turn(key, n)
	binary.LittleEndian.PutUint32(dst, first)
	binary.LittleEndian.PutUint32(dst[n-4:], last)
	return uint64(first | last)
}

// xorFew masks at most four bytes. len(dst) must be len(src).
func xorFew(dst, src []byte, key uint32) (seen uint64) {
	for i, octet := range src {
		octet ^= byte(key)
		dst[i] = octet
		seen |= uint64(octet)
		key >>= 8
	}
	return seen
}
