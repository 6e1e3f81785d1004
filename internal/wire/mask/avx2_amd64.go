//go:build !noasm

package mask

import "golang.org/x/sys/cpu"

// vector is the minimum number of bytes that the assembly handles: the size of an AVX2 register.
const vector = 32

// hasAVX2 reports whether the processor has AVX2 and the operating system saves its registers.
var hasAVX2 = cpu.X86.HasAVX2

// xorAVX2 masks n bytes, at least vector, from src to dst, and reports whether all bytes written are ASCII. Its
// counterpart in Go is xorWordsASCII.
//
//go:noescape
func xorAVX2(dst, src *byte, n int, key uint32) (ascii bool)
