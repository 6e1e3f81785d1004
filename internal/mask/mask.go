// Package mask masks and unmasks WebSocket payloads (RFC 6455 §5.3): every octet is XORed with one of the four key
// octets in turn, which is the same operation in both directions.
//
// A key is a uint32 whose lowest byte is the key octet for the next payload octet; the key as it stands on the wire
// is binary.LittleEndian.Uint32(octets). Functions return the key turned so that its lowest byte is the octet that
// follows: a payload may be worked on in pieces of any length, by handing each call the key that the last returned.
//
// All functions may be called concurrently on different memory. None keeps what it is given, and none allocates.
package mask

import "math/bits"

// XOR writes the octets of src, masked or unmasked by key, to dst[:len(src)], and returns the key for the octet
// after them. dst and src start at the same byte or do not overlap. It panics if dst is shorter than src.
func XOR(dst, src []byte, key uint32) (next uint32) {
	xor(dst, src, key)
	return turn(key, len(src))
}

// XORASCII does what XOR does, and in the same pass reports whether all octets it wrote are ASCII (below 0x80), which
// spares most text messages a look by a UTF-8 validator (RFC 6455 §8.1). Of no octets it says true.
func XORASCII(dst, src []byte, key uint32) (next uint32, ascii bool) {
	ascii = xorASCII(dst, src, key)
	return turn(key, len(src)), ascii
}

// turn returns key as it stands n octets further on.
func turn(key uint32, n int) uint32 {
	return bits.RotateLeft32(key, -8*(n&3))
}
