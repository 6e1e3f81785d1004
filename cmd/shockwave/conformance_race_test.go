//go:build race

package main_test

// raceEnabled says that the program under test is to be built with the race detector too.
const raceEnabled = true
