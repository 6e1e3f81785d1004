package bench

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestBenchCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"bench", 2, "", "bench: it takes a URL"},
		{"bench compare", 2, "", "bench compare: it takes two files"},
		{"bench compare -h", 0, "-fail", ""},
		{"bench -h", 0, "-pipeline", ""},
	})
}
