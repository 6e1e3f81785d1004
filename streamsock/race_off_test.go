//go:build !race

package streamsock_test

const raceEnabled = false
