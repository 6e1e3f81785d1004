package huffman

import "encoding/binary"

// Len returns how many bytes Append appends for s.
func Len[T string | []byte](s T) int {
	bits := 0
	for i := range len(s) {
		bits += int(lengths[s[i]])
	}
	return (bits + 7) / 8
}

// Append encodes s, appends the Len(s) bytes to dst and returns the extended slice. The last byte is padded with ones,
// the first bits of EOS (RFC 7541 §5.2).
func Append[T string | []byte](dst []byte, s T) []byte {
	var acc uint64 // its low n bits are to be written
	var n uint
	for i := range len(s) {
		c := encoded[s[i]]
		bits := uint(c & 63)
		acc = acc<<bits | c>>8
		if n += bits; n >= 32 {
			n -= 32
			dst = binary.BigEndian.AppendUint32(dst, uint32(acc>>(n&63)))
		}
	}
	if fill := -n & 7; fill > 0 {
		acc = acc<<fill | (1<<fill - 1)
		n += fill
	}
	for n > 0 {
		n -= 8
		dst = append(dst, byte(acc>>n))
	}
	return dst
}
