package echo

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// Flags that do not fit are refused, and help explains the rest.
func TestEchoCommandLines(t *testing.T) {
	clitest.TestLines(t, program, []clitest.Line{
		{"echo", 2, "", "echo: -addr HOST:PORT is missing"},
		{"echo -h", 0, "-native", ""},
		{"echo -addr 127.0.0.1:no-such-port", 1, "", "no-such-port"},
	})
}
