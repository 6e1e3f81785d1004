//go:build race

package main

// raceRSS is what the race detector may keep besides: its shadow of memory that was used is never given back.
const raceRSS = 96 << 20
