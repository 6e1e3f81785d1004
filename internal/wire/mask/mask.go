// Package mask masks and unmasks WebSocket payloads (RFC 6455 §5.3): it XORs the bytes of the payload with the four
// bytes of the key in turn. The operation is the same in both directions.
//
// A key is a uint32 whose lowest byte is the key byte for the next payload byte; for a key in a frame header that is
// binary.LittleEndian.Uint32(bytes). Functions return the key rotated so that its lowest byte is for the byte after the
// payload. A payload can thus be masked in pieces of any length, if each call is passed the key that the previous call
// returned.
//
// All functions may be called concurrently on different memory. They keep no reference to their arguments and do not
// allocate.
package mask

import "math/bits"

// XOR writes the bytes of src, XORed with key, to dst[:len(src)], and returns the key for the byte after them. dst and
// src must start at the same byte or not overlap. XOR panics if dst is shorter than src.
func XOR(dst, src []byte, key uint32) (next uint32) {
	xor(dst, src, key)
	return turn(key, len(src))
}

// XORASCII is XOR that also reports whether all bytes it wrote are ASCII (below 0x80). This saves most text messages a
// pass of the UTF-8 validator (RFC 6455 §8.1). The result is true for an empty src.
func XORASCII(dst, src []byte, key uint32) (next uint32, ascii bool) {
	ascii = xorASCII(dst, src, key)
	return turn(key, len(src)), ascii
}

// turn returns key rotated for the byte n positions further on.
func turn(key uint32, n int) uint32 {
	return bits.RotateLeft32(key, -8*(n&3))
}
