package utf8x

import "encoding/binary"

// highBits has the high bit of each byte, which is never set in ASCII.
const highBits = 0x8080808080808080

// skipASCII returns b without the words of ASCII at its start. It does not skip a word at the very end of b, so that
// slicing needs no check for a pointer behind the end.
func skipASCII(b []byte) []byte {
	b = b[:len(b):len(b)]
	for len(b) > 32 && (word(b)|word(b[8:])|word(b[16:])|word(b[24:]))&highBits == 0 {
		b = b[32:]
	}
	for len(b) > 8 && word(b)&highBits == 0 {
		b = b[8:]
	}
	return b
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
