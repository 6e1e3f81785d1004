//go:build !race

package main

// raceRSS is what the race detector may keep besides: it is not there.
const raceRSS = 0
