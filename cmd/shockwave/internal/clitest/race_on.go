//go:build race

package clitest

// Raced says that the race detector is on.
const Raced = true
