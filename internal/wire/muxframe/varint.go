package muxframe

// Numbers are encoded with seven bits in each byte, the lowest first. The highest bit is set in all bytes but the last. Only
// the shortest encoding of a number is valid.

// maxVarint is the largest size of a number.
const maxVarint = 9

// appendVarint appends v, which must be less than 1<<63.
func appendVarint(dst []byte, v uint64) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// varint reads a number that may not exceed most. n is 0 if b ends before the number does, and -1 if the number is too large
// or not in its shortest encoding.
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

// sizeVarint returns the encoded size of v.
func sizeVarint(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
