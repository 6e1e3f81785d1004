package keep

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain also makes the test's program the server of TestMemoryStaysFlat, in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(servingVariable) != "" {
		if err := beFlatServer(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}
