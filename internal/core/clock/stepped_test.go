package clock

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A stepped timer calls its function when its time has passed, not before, and not after Stop.
func TestSteppedTimer(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, 7, 8, 9, time.Millisecond + 3, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int64
			x := AfterFunc(d, func() { calls.Add(1) })
			time.Sleep(max(d, 1) - 1)
			if synctest.Wait(); calls.Load() != 0 && d > 1 {
				t.Errorf("%v: called too early", d)
			}
			time.Sleep(time.Nanosecond)
			if synctest.Wait(); calls.Load() != 1 || x.Stop() {
				t.Errorf("%v: called %d times, or Stop succeeded afterwards", d, calls.Load())
			}
			for n := range steps {
				x := AfterFunc(d, func() { calls.Add(1) })
				time.Sleep(d * time.Duration(n) / steps)
				if synctest.Wait(); d > steps && (!x.Stop() || x.Stop()) {
					t.Errorf("%v: not stopped once in step %d", d, n)
				}
				x.Stop()
			}
			before := calls.Load()
			time.Sleep(2 * time.Hour)
			if calls.Load() != before {
				t.Errorf("%v: called after it was stopped", d)
			}
		})
	}
}

// If a process has not run for a long time, a stepped timer loses one step and keeps the others.
func TestSteppedTimerLosesOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := make(chan time.Time, 1)
		x := AfterFunc(8*time.Second, func() { called <- time.Now() })
		time.Sleep(2500 * time.Millisecond)
		x.t.Reset(time.Hour) // this makes the step as late as in a process that does not run for an hour
		time.Sleep(time.Hour)
		runs := time.Now()
		if d := (<-called).Sub(runs); d < 4*time.Second || d > 6*time.Second {
			t.Errorf("called %v after it runs again", d)
		}
	})
}
