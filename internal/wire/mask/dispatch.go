package mask

// word is how many bytes the Go code handles at a time.
const word = 8

// xor chooses the implementation by the length of the payload and the machine.
func xor(dst, src []byte, key uint32) {
	dst = dst[:len(src):len(dst)] // panics if dst is shorter, whatever its capacity
	switch n := len(src); {
	case n >= vector && hasAVX2:
		xorAVX2(&dst[0], &src[0], n, key) // reporting ASCII as well costs the vectors nothing
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

// xorASCII is xor that also reports whether all bytes written are ASCII.
func xorASCII(dst, src []byte, key uint32) bool {
	dst = dst[:len(src):len(dst)] // panics if dst is shorter, whatever its capacity
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
