package websocket

import (
	"context"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain fails when a goroutine outlives the tests.
func TestMain(m *testing.M) {
	code := m.Run()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := DefaultGroup.Shutdown(ctx); err != nil && code == 0 {
		println("the default group did not end:", err.Error())
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		code = 1
	}
	os.Exit(code)
}
