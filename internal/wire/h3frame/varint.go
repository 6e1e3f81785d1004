package h3frame

import "encoding/binary"

// MaxVarint is the largest number (RFC 9000 §16).
const MaxVarint = 1<<62 - 1

// AppendVarint appends v, at most MaxVarint, in as few bytes as possible.
func AppendVarint(dst []byte, v uint64) []byte {
	switch {
	case v < 1<<6:
		return append(dst, byte(v))
	case v < 1<<14:
		return binary.BigEndian.AppendUint16(dst, 1<<14|uint16(v))
	case v < 1<<30:
		return binary.BigEndian.AppendUint32(dst, 2<<30|uint32(v))
	}
	return binary.BigEndian.AppendUint64(dst, 3<<62|v)
}

// Varint reads the number that b begins with. n is the number of its bytes, 0 if b does not hold all of them.
func Varint(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	n = 1 << (b[0] >> 6)
	if len(b) < n {
		return 0, 0
	}
	v = uint64(b[0] & 0x3F)
	for _, c := range b[1:n] {
		v = v<<8 | uint64(c)
	}
	return v, n
}
