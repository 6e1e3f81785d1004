//go:build race

package bufpool

// Poisoned reports whether Put overwrites what it is given.
const Poisoned = true

// poison overwrites b. The race detector reports a reader on another goroutine, and one on the same goroutine reads
// bytes that no protocol sends.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xDB
	}
}
