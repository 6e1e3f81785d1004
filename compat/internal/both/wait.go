package both

import (
	"testing"
	"time"
)

// Receive returns the next value of ch. The test ends if none comes within Patience; what says what was waited for.
func Receive[V any](t testing.TB, ch <-chan V, what string) V {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(Patience):
		t.Fatalf("%s did not come", what)
		panic("not reached")
	}
}
