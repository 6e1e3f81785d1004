package hpack

import "encoding/binary"

// Eight bytes at a time: these constants repeat one byte.
const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// upperIn returns 0x80 in each byte of v that is an upper-case ASCII letter, and 0 in the others.
func upperIn(v uint64) uint64 {
	low := v &^ highBits
	fromA := low + (0x80-'A')*eachByte
	beyondZ := low + (0x7F-'Z')*eachByte
	return (fromA ^ beyondZ) &^ v & highBits
}

// lower returns name in lower case, as HTTP/2 requires (RFC 9113 §8.2). It returns name itself if that is in lower case,
// otherwise a copy in scratch, which it grows as needed.
func lower(name []byte, scratch *[]byte) []byte {
	if isLower(name) {
		return name
	}
	s := append((*scratch)[:0], name...)
	*scratch = s
	for i := 0; i < len(s); {
		if rest := s[i:]; len(rest) >= 8 {
			v := binary.LittleEndian.Uint64(rest)
			binary.LittleEndian.PutUint64(rest, v|upperIn(v)>>2)
			i += 8
			continue
		}
		if c := s[i]; 'A' <= c && c <= 'Z' {
			s[i] = c | 0x20
		}
		i++
	}
	return s
}

// isLower reports whether name has no upper-case ASCII letter.
func isLower(name []byte) bool {
	for len(name) >= 8 {
		if upperIn(binary.LittleEndian.Uint64(name)) != 0 {
			return false
		}
		name = name[8:]
	}
	for _, c := range name {
		if 'A' <= c && c <= 'Z' {
			return false
		}
	}
	return true
}
