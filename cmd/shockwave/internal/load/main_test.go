package load

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// TestMain runs more tests at once than there are processors: they wait for moments and peers more than they compute.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "16")
	}
	goleak.VerifyTestMain(m)
}
