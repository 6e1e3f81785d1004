package streamsock

import (
	"testing"
	"testing/synctest"
	"time"
)

// Connections are accepted at the rate, without a burst after a pause, and waits end with quit.
func TestPacer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		quit := make(chan struct{})
		p := &pacer{rate: 4}
		began := time.Now()
		wants := func(at time.Duration, ok bool) {
			t.Helper()
			if got := p.wait(quit); got != ok || time.Since(began) != at*time.Millisecond {
				t.Errorf("%v at %v, want %v at %v", got, time.Since(began), ok, at*time.Millisecond)
			}
		}
		wants(0, true)
		wants(250, true)
		wants(500, true)
		time.Sleep(500 * time.Millisecond)
		wants(1000, true)
		wants(1250, true)
		time.AfterFunc(100*time.Millisecond, func() { close(quit) })
		wants(1350, false)
		p = new(pacer)
		wants(1350, true)
		wants(1350, true)
	})
}
