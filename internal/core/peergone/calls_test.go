package peergone

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A second Make returns only when the functions that the first one calls have returned.
func TestMakeWaitsForInlineCalls(t *testing.T) {
	w := new(Calls)
	begun, goOn, first, second := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	w.Add(Func{Inline: true, F: func() {
		begun <- true
		<-goOn
	}})
	go func() {
		defer close(first)
		w.Make()
	}()
	wiretest.Within(t, "the callback", begun)
	go func() {
		defer close(second)
		w.Make()
	}()
	select {
	case <-second:
		t.Error("the second does not wait")
	case <-time.After(20 * time.Millisecond):
	}
	close(goOn)
	wiretest.Within(t, "the first", first)
	wiretest.Within(t, "the second", second)
}
