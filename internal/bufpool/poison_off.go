//go:build !race

package bufpool

// Poisoned reports whether Put overwrites what it is given.
const Poisoned = false

func poison([]byte) {}
