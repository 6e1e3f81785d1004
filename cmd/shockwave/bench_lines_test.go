package main

import "testing"

// TestBenchCommandLines: flags that do not fit are refused, and help says what there is.
func TestBenchCommandLines(t *testing.T) {
	testCommandLines(t, program, []commandCase{
		{"bench", 2, "", "bench: it takes a URL"},
		{"bench compare", 2, "", "bench compare: it takes two files"},
		{"bench compare -h", 0, "-fail", ""},
		{"bench -h", 0, "-pipeline", ""},
	})
}
