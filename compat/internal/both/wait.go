package both

import (
	"testing"
	"time"
)

// Receive returns the next value of ch. The test fails if there is none within Patience; what names the expected event.
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

// Offer sends v to ch. The test fails if it is not received within Patience; what names the purpose.
func Offer[V any](t testing.TB, ch chan<- V, v V, what string) {
	t.Helper()
	select {
	case ch <- v:
	case <-time.After(Patience):
		t.Fatalf("nobody waited for %s", what)
	}
}
