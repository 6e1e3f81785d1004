package nethttp_test

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16") // the tests that run in parallel wait
	goleak.VerifyTestMain(m,
		// net/http's server, which ours is compared with, waits half a second after it has closed its half.
		goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
