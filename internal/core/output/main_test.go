package output_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests: a flusher, or one that still waits for room.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
