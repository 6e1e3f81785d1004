package transport

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests: only Disconnect starts one here, and that ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
