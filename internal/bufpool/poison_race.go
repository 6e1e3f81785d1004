//go:build race

package bufpool

// Poisoned reports whether Put overwrites slices.
const Poisoned = true

// poison overwrites b. The race detector then reports a reader on another goroutine, and a reader on the same goroutine
// sees bytes that no protocol sends.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xDB
	}
}
