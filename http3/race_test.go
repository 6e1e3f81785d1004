//go:build race

package http3_test

// withRace reports whether the race detector is on.
const withRace = true
