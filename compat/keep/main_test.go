package keep

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also makes the test's program the processes whose memory must stay flat.
func TestMain(m *testing.M) {
	if what := os.Getenv(servingVariable); what != "" {
		if err := beFlat(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}
