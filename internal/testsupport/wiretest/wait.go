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

// InTime has wait, which begin returns, wait for something with a bound, until that takes no more than 100 ms longer; twenty
// times at most, because a machine with other things to do is late at times. It must never take less.
func InTime(t testing.TB, bound time.Duration, begin func() (wait func())) {
	t.Helper()
	var took time.Duration
	for range 20 {
		wait := begin()
		begun := time.Now()
		wait()
		if took = time.Since(begun); took < bound {
			t.Fatalf("it takes %v, and was to take %v", took, bound)
		}
		if took <= bound+100*time.Millisecond {
			return
		}
	}
	t.Errorf("it takes %v, and was to take %v", took, bound)
}
