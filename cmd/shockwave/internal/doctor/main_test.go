package doctor

import (
	"testing"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
)

// program is a program with this command alone.
var program = clitest.Only("doctor", Run)

func TestMain(m *testing.M) { clitest.Main(m, program) }
