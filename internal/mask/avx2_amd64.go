//go:build !noasm

package mask

import "golang.org/x/sys/cpu"

// vector is the fewest octets that the assembly can work on: those of one AVX2 register.
const vector = 32

// hasAVX2 says that the processor has AVX2 and the operating system saves its registers.
var hasAVX2 = cpu.X86.HasAVX2

// xorAVX2 masks n octets, at least vector of them, from src to dst, and reports whether all that it wrote are ASCII.
// Its twin is xorWordsASCII.
//
//go:noescape
func xorAVX2(dst, src *byte, n int, key uint32) (ascii bool)
