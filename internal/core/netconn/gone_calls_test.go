package netconn

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// TestGoneIsToldBeforeAFailedRead: who notices the end second does not go on before the callbacks have returned that the first one calls.
func TestGoneIsToldBeforeAFailedRead(t *testing.T) {
	w := new(linkExtra)
	begun, goOn, first, second := make(chan bool), make(chan bool), make(chan bool), make(chan bool)
	w.addOnGone(goneFunc{inline: true, f: func() {
		begun <- true
		<-goOn
	}})
	go func() {
		defer close(first)
		w.callOnGone()
	}()
	wiretest.Within(t, "the callback", begun)
	go func() {
		defer close(second)
		w.callOnGone()
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
