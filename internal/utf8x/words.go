package utf8x

import "encoding/binary"

// highBits are the bits that no byte of ASCII has.
const highBits = 0x8080808080808080

// asciiWords returns how many bytes at the start of b are words of ASCII; a word at the very end of b is left out,
// which spares each slicing a check for a pointer behind the end.
func asciiWords(b []byte) int {
	rest := b[:len(b):len(b)]
	for len(rest) > 32 && (word(rest)|word(rest[8:])|word(rest[16:])|word(rest[24:]))&highBits == 0 {
		rest = rest[32:]
	}
	for len(rest) > 8 && word(rest)&highBits == 0 {
		rest = rest[8:]
	}
	return len(b) - len(rest)
}

// isASCII is for texts of eight bytes and more: the last word may take in bytes of the one before.
func isASCII(b []byte) bool {
	return word(b[len(b)-8:])&highBits == 0 && asciiWords(b) >= len(b)-8
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }
