package both

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and fails if one has leaked a goroutine.
func Main(m *testing.M) {
	goleak.VerifyTestMain(m,
		// net/http's server waits half a second after it has closed its half of a connection.
		goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
