package http3

import (
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/program"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { program.Main(m) }
