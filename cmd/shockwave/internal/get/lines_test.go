package get

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestGetCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"get", 2, "", "get: it takes a URL"},
		{"get -h", 0, "-timeout", ""},
		{"get -h", 0, "Exit codes: 0 if every URL", ""},
		{"get -c 0 http://127.0.0.1:1/", 2, "", "get: -c wants at least 1"},
		{"get -timeout -1s http://127.0.0.1:1/", 2, "", "want a time"},
	})
}
