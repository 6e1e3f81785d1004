package muxframe

// Numbers have seven bits in each byte, the lowest first; a byte with its highest bit set is followed by another. Of the ways
// to write a number only the shortest is allowed.

// maxVarint is the most bytes of a number.
const maxVarint = 9

// appendVarint appends v, which is less than 1<<63.
func appendVarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// varint reads a number that is no larger than most. n is 0 if b ends before it does, and -1 if it is too large or longer
// than it must be.
func varint(b []byte, most uint64) (v uint64, n int) {
	for i, c := range b {
		if i == maxVarint {
			return 0, -1
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			if v > most || c == 0 && i > 0 {
				return 0, -1
			}
			return v, i + 1
		}
	}
	if len(b) >= maxVarint || v > most {
		return 0, -1
	}
	return 0, 0
}

// sizeVarint returns how many bytes v takes.
func sizeVarint(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
