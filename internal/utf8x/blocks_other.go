//go:build !amd64 || noasm

package utf8x

// blockMin and goodPrefix are those of blocks_amd64.go; here nothing is ever known, and the automaton walks all of b.
const blockMin = 38

func goodPrefix([]byte) int { return 0 }
