package hpack

import (
	"encoding/binary"
	"math/bits"
)

// Odd constants with a random-looking bit pattern, for mixing.
const (
	mixName  = 0x9E3779B97F4A7C15
	mixValue = 0xD6E8FEB86659FD93
)

// hash mixes the bytes of b into h, eight at a time. An attacker can choose inputs that collide: for that reason a search
// compares at most maxProbes entries.
func hash(h uint64, b []byte) uint64 {
	h ^= uint64(len(b))
	for ; len(b) > 8; b = b[8:] {
		h = mix(h, binary.LittleEndian.Uint64(b))
	}
	var v uint64
	switch n := len(b); {
	case n == 8:
		v = binary.LittleEndian.Uint64(b)
	case n >= 4:
		v = uint64(binary.LittleEndian.Uint32(b)) | uint64(binary.LittleEndian.Uint32(b[n-4:]))<<32
	case n > 0:
		v = uint64(b[0]) | uint64(b[n/2])<<8 | uint64(b[n-1])<<16
	}
	return mix(h, v)
}

func mix(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^mixName, v^mixValue)
	return hi ^ lo
}
