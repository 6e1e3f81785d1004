package mask

import (
	"encoding/binary"
	"fmt"
	"testing"
)

var (
	sinkKey   uint32
	sinkASCII bool
)

// maskEight is the peer of the goal: the loop that Go programs write, eight octets at a time.
func maskEight(dst, src []byte, key uint32) {
	key64 := uint64(key)<<32 | uint64(key)
	for len(src) >= 8 && len(dst) >= 8 {
		binary.LittleEndian.PutUint64(dst, binary.LittleEndian.Uint64(src)^key64)
		src, dst = src[8:], dst[8:]
	}
	for i := range src {
		dst[i] = src[i] ^ byte(key64>>(8*i))
	}
}

// maskEightASCII is the peer of the fused pass: copy, mask, look.
func maskEightASCII(dst, src []byte, key uint32) bool {
	copy(dst, src)
	maskEight(dst[:len(src)], dst[:len(src)], key)
	for _, octet := range dst[:len(src)] {
		if octet >= 0x80 {
			return false
		}
	}
	return true
}

// maskOne is the plain loop that nothing short may be slower than.
func maskOne(dst, src []byte, key uint32) uint32 {
	dst = dst[:len(src)]
	for i := range src {
		dst[i] = src[i] ^ byte(key)
		key = key>>8 | key<<24
	}
	return key
}

func BenchmarkMask(b *testing.B) {
	for _, n := range []int{0, 1, 3, 5, 7, 8, 13, 16, 31, 32, 48, 64, 100, 128, 256, 1024, 16 << 10} {
		buf := make([]byte, n+8)[8:] // As it stands behind a frame head.
		dst := make([]byte, n)
		run := func(name string, f func(key uint32)) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(n))
				for i := 0; b.Loop(); i++ {
					f(uint32(i) & 0x7f7f7f7f)
				}
			})
		}
		run("XOR", func(key uint32) { sinkKey = XOR(buf, buf, key) })
		run("XORASCII", func(key uint32) { sinkKey, sinkASCII = XORASCII(dst, buf, key) })
		run("peer/one", func(key uint32) { sinkKey = maskOne(buf, buf, key) })
		run("peer/eight", func(key uint32) { maskEight(buf, buf, key) })
		run("peer/eightASCII", func(key uint32) { sinkASCII = maskEightASCII(dst, buf, key) })
	}
}
