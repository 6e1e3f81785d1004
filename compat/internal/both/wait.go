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

// Offer sends v to ch. The test ends if nobody takes it within Patience; what says what was to happen then.
func Offer[V any](t testing.TB, ch chan<- V, v V, what string) {
	t.Helper()
	select {
	case ch <- v:
	case <-time.After(Patience):
		t.Fatalf("nobody waited for %s", what)
	}
}
