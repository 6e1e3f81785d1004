package sockclients

import (
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) { both.Main(m) }
