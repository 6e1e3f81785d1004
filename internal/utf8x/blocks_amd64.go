//go:build amd64 && !noasm

package utf8x

import "golang.org/x/sys/cpu"

// blockMin is the length from which scan asks goodPrefix: below it the automaton is faster. It is never under 38: the
// assembly reads the last 32 bytes and the three before them, and scan may take three bytes off first.
const blockMin = 38

// hasAVX2 also says that the system keeps the YMM registers of a thread: cpu asks XGETBV.
var hasAVX2 = cpu.X86.HasAVX2

// goodPrefix returns how many bytes at the start of b are known to be UTF-8, but for the last code point among them,
// which may be cut off, or be a single byte that starts none. Zero says that nothing is known. b starts between two
// code points, and has 35 bytes or more.
func goodPrefix(b []byte) int {
	if !hasAVX2 {
		return 0
	}
	return goodPrefixAVX2(b)
}

// goodPrefixAVX2 reads nothing outside b.
//
//go:noescape
func goodPrefixAVX2(b []byte) int
