package mask

// word is the fewest octets that the word loops can work on.
const word = 8

// xor chooses who masks: the payload's length and the machine decide.
func xor(dst, src []byte, key uint32) {
	dst = dst[:len(src):len(dst)] // Panics if dst is shorter, whatever its capacity.
	switch {
	case len(src) >= vector && hasAVX2:
		xorAVX2(&dst[0], &src[0], len(src), key) // Asking for ASCII too costs the vectors nothing.
	case len(src) >= word:
		xorWords(dst, src, key)
	default:
		xorShort(dst, src, key)
	}
}

// xorASCII is xor that also tells whether all it wrote is ASCII.
func xorASCII(dst, src []byte, key uint32) bool {
	dst = dst[:len(src):len(dst)] // Panics if dst is shorter, whatever its capacity.
	switch {
	case len(src) >= vector && hasAVX2:
		return xorAVX2(&dst[0], &src[0], len(src), key)
	case len(src) >= word:
		return xorWordsASCII(dst, src, key)
	default:
		return xorShort(dst, src, key)
	}
}
