//go:build race

package streamsock_test

const raceEnabled = true
