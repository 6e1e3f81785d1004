package nethttp_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// net/http's server, which ours is compared with, waits half a second after it has closed its half.
		goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
