package netconn_test

import (
	"flag"
	"net"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests: a connection's, a listener's, the clock's or the lot's. Tests that
// run at the same time mostly wait, so their number does not depend on the number of cores.
func TestMain(m *testing.M) {
	_ = flag.Set("test.parallel", "16")
	// The runtime opens its poller with the first socket, and keeps it: no test may take that for its own leak.
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
		_ = l.Close()
	}
	goleak.VerifyTestMain(m)
}
