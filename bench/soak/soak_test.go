package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestMain also makes the test's program the process that serves.
func TestMain(m *testing.M) {
	if os.Getenv(servingVariable) != "" {
		if err := runServer(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A short soak leaves no goroutine, descriptor or memory behind, on both serve loops.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("takes twenty seconds and more")
	}
	if _, err := os.Stat("/proc/self/statm"); err != nil {
		t.Skip("needs /proc to see what the server uses")
	}
	for _, loop := range []string{"auto", "plain"} {
		t.Run(loop, func(t *testing.T) {
			t.Parallel()
			out := new(strings.Builder)
			s := soak{out: out, loop: loop, lasts: 10 * time.Second, every: time.Second, rate: 800, rounds: 2, seed: 1}
			if raceDetector {
				s.rate = 300 // it makes everything several times as dear
			}
			err := s.run(t.Context())
			t.Log(out)
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
