//go:build !race

package bufpool

// Poisoned reports whether Put overwrites slices.
const Poisoned = false

func poison([]byte) {}
