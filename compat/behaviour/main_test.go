package behaviour

import (
	"flag"
	"os"
	"testing"
)

// TestMain runs more rows at once than there are processors, because most of the time they wait.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "8")
	os.Exit(m.Run())
}
