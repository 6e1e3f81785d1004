package utf8x

import "encoding/binary"

// highBits are the bits that no byte of ASCII has.
const highBits = 0x8080808080808080

// skipASCII returns what is left of b behind its words of ASCII; a word at the very end of b is left too, which spares
// each slicing a check for a pointer behind the end.
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
