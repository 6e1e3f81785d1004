package mask

// word is how many octets the plain Go takes at a time.
const word = 8

// xor chooses who masks: the payload's length and the machine decide.
func xor(dst, src []byte, key uint32) {
	dst = dst[:len(src):len(dst)] // Panics if dst is shorter, whatever its capacity.
	switch n := len(src); {
	case n >= vector && hasAVX2:
		xorAVX2(&dst[0], &src[0], n, key) // Asking for ASCII too costs the vectors nothing.
	case n > 2*word:
		xorWords(dst, src, key)
	case n >= word:
		xorTwoWords(dst, src, key)
	case n >= word/2:
		xorTwoHalves(dst, src, key)
	default:
		xorFew(dst, src, key)
	}
}

// xorASCII is xor that also reports whether all it wrote is ASCII.
func xorASCII(dst, src []byte, key uint32) bool {
	dst = dst[:len(src):len(dst)] // Panics if dst is shorter, whatever its capacity.
	var seen uint64
	switch n := len(src); {
	case n >= vector && hasAVX2:
		return xorAVX2(&dst[0], &src[0], n, key)
	case n > 2*word:
		seen = xorWordsASCII(dst, src, key)
	case n >= word:
		seen = xorTwoWords(dst, src, key)
	case n >= word/2:
		seen = xorTwoHalves(dst, src, key)
	default:
		seen = xorFew(dst, src, key)
	}
	return seen&highBits == 0
}
