package wiretest

import (
	"testing"
	"time"
)

// patience is how long Eventually and Within wait for what must come.
const patience = time.Minute

// Eventually waits until f is true; what is for the failure.
func Eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Within waits until ch gives something or is closed; what is for the failure.
func Within[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(patience):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}
