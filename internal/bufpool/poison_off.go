//go:build !race

package bufpool

// Poisoned tells whether Put overwrites what it is given.
const Poisoned = false

func poison([]byte) {}
