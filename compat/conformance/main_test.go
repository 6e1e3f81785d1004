package conformance

import (
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

func TestMain(m *testing.M) { program.Main(m) }
