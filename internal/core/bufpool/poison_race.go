//go:build race

package bufpool

import "bytes"

// Poisoned reports whether Poison overwrites slices.
const Poisoned = true

var poison = bytes.Repeat([]byte{0xDB}, 4<<10)

// Poison overwrites b in programs built with the race detector. The race detector then reports a reader on another goroutine,
// and a reader on the same goroutine sees bytes that no protocol sends. b is overwritten by copy, which the race detector
// records a hundred times faster than an assignment for each byte.
func Poison(b []byte) {
	for len(b) > 0 {
		b = b[copy(b, poison):]
	}
}
