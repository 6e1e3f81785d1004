package flood

import (
	"flag"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// TestMain runs more tests at once than there are processors, because slow attacks wait most of the time.
func TestMain(m *testing.M) {
	flag.Parse()
	flag.Set("test.parallel", "32")
	both.Main(m)
}
