package mask

import "encoding/binary"

// xorShort masks fewer octets than a word has, and tells whether all that it wrote are ASCII. len(dst) is len(src).
//
// There is no loop: two half words, or three octets, cover every length, overlapping where it is odd. All are loaded
// before the first is stored, because in place a store changes what the others overlap.
func xorShort(dst, src []byte, key uint32) bool {
	n := len(src)
	if n >= 4 {
		first := binary.LittleEndian.Uint32(src) ^ key
		last := binary.LittleEndian.Uint32(src[n-4:]) ^ turn(key, n)
		binary.LittleEndian.PutUint32(dst, first)
		binary.LittleEndian.PutUint32(dst[n-4:], last)
		return (first|last)&(highBits>>32) == 0
	}
	if n == 0 {
		return true
	}
	middle, end := n>>1, n-1
	a := src[0] ^ byte(key)
	b := src[middle] ^ byte(key>>(8*middle&31))
	c := src[end] ^ byte(key>>(8*end&31))
	dst[0], dst[middle], dst[end] = a, b, c
	return (a|b|c)&0x80 == 0
}
