//go:build !race

package main_test

// raceEnabled says that the program under test has the race detector too.
const raceEnabled = false
