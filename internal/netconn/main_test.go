package netconn_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests: a connection's, a listener's, the clock's or the lot's.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
