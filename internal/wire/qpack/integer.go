package qpack

// Integers begin in the low bits of a byte. If those are all ones, they continue in groups of seven bits, one per byte
// (RFC 9204 §4.1.1, RFC 7541 §5.1).
const (
	moreBit  = 0x80
	maxMore  = 9         // bytes that may follow the first: enough for 62 bits
	maxValue = 1<<62 - 1 // the largest integer of QUIC
)

// readInt decodes the integer that begins in the low bits of b[0], those that are set in mask, and returns the rest of b.
func readInt(b []byte, mask byte) (value uint64, rest []byte, err error) {
	if len(b) == 0 {
		return 0, nil, errTruncated
	}
	v := uint64(b[0] & mask)
	if v < uint64(mask) {
		return v, b[1:], nil
	}
	for i := 1; i < len(b); i++ {
		if i > maxMore {
			return 0, nil, errInteger
		}
		v += uint64(b[i]&^moreBit) << (7 * (i - 1))
		if v > maxValue {
			return 0, nil, errInteger
		}
		if b[i]&moreBit == 0 {
			return v, b[i+1:], nil
		}
	}
	return 0, nil, errTruncated
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
