//go:build !amd64 || noasm

package utf8x

// blockMin and goodPrefix are described in blocks_amd64.go. Here the automaton checks all of b.
const blockMin = 38

func goodPrefix([]byte) int { return 0 }
