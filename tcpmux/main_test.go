package tcpmux_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain checks for a while that nothing is left: tests do not wait for sessions whose networks are gone.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16") // the tests that run in parallel wait
	code := m.Run()
	by := time.Now().Add(time.Minute)
	for code == 0 {
		err := goleak.Find()
		if err == nil {
			break
		}
		if time.Now().After(by) {
			fmt.Println(err)
			code = 1
		}
	}
	os.Exit(code)
}
