//go:build amd64 && !noasm

package utf8x

import "golang.org/x/sys/cpu"

// blockMin is the length from which scan calls goodPrefix: for less, the automaton is faster. It must not be under 38:
// the assembly reads the last 32 bytes and the three before them, and scan may use up three bytes first.
const blockMin = 38

// hasAVX2 reports whether the processor has AVX2 and the system saves the YMM registers (package cpu checks XGETBV).
var hasAVX2 = cpu.X86.HasAVX2

// goodPrefix returns the length of a prefix of b that is valid UTF-8, except that its last code point may be cut off or
// be a single byte that starts no code point. Zero means that nothing is known. b must start between two code points and
// have 35 bytes or more.
func goodPrefix(b []byte) int {
	if !hasAVX2 {
		return 0
	}
	return goodPrefixAVX2(b)
}

// goodPrefixAVX2 is goodPrefix in assembly. It reads nothing outside b.
//
//go:noescape
func goodPrefixAVX2(b []byte) int
