package transport

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests: nothing here has one of its own but Disconnect, and that ends.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
