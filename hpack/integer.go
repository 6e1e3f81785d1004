package hpack

// Integers begin in the low bits of a byte. If those are all ones, they continue in groups of seven bits, one per byte
// (RFC 7541 §5.1).
const (
	moreBit  = 0x80
	maxMore  = 5 // bytes that may follow the first: enough for 31 bits, and for a few leading zeros
	maxValue = 1<<31 - 1
)

// readInt decodes the integer that begins in the low bits of b[0], those that are set in mask, and returns the number of
// its bytes: 0 if b does not hold all of them.
func readInt(b []byte, mask byte) (value, n int, err error) {
	if v := b[0] & mask; v < mask {
		return int(v), 1, nil
	}
	return readIntMore(b, mask)
}

func readIntMore(b []byte, mask byte) (value, n int, err error) {
	v := uint64(mask)
	for i := 1; i < len(b); i++ {
		v += uint64(b[i]&^moreBit) << (7 * (i - 1))
		switch {
		case v > maxValue:
			return 0, 0, errInteger
		case b[i]&moreBit == 0:
			return int(v), i + 1, nil
		case i == maxMore:
			return 0, 0, errInteger
		}
	}
	return 0, 0, nil
}

// appendInt appends v, whose first bits share a byte with the high bits of first.
func appendInt(dst []byte, first, mask byte, v int) []byte {
	if v < int(mask) {
		return append(dst, first|byte(v))
	}
	dst = append(dst, first|mask)
	rest := uint(v) - uint(mask)
	for ; rest >= moreBit; rest >>= 7 {
		dst = append(dst, byte(rest)|moreBit)
	}
	return append(dst, byte(rest))
}
