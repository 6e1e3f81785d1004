package lot

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a lot's goroutine outlives it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
