//go:build race

package http3_test

// withRace is whether the race detector is on.
const withRace = true
