package mux

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// program is a program with this command alone.
var program = clitest.Only("mux", Run)

func TestMain(m *testing.M) { clitest.Main(m, program) }
