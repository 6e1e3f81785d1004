package wiretest

import (
	"testing"
	"time"
)

// waitLimit is how long Eventually and Within wait.
const waitLimit = time.Minute

// Eventually waits until f returns true. what is used in the failure message.
func Eventually(t testing.TB, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(waitLimit); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// Within waits until ch delivers a value or is closed. what is used in the failure message.
func Within[T any](t testing.TB, what string, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(waitLimit):
		t.Fatalf("waited in vain for %s", what)
	}
	return v
}
