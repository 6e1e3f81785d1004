//go:build !race

package program

// Raced says that the race detector is on, here and in what Shockwave builds.
const Raced = false

var raceFlag []string
