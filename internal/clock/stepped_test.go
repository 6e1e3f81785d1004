package clock

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSteppedTimer: it calls its function when its time has passed, not before, and not when it was stopped.
func TestSteppedTimer(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, 7, 8, 9, time.Millisecond + 3, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			x := AfterFunc(d, func() { calls++ })
			time.Sleep(max(d, 1) - 1)
			if synctest.Wait(); calls != 0 && d > 1 {
				t.Errorf("%v: called too early", d)
			}
			time.Sleep(time.Nanosecond)
			if synctest.Wait(); calls != 1 || x.Stop() {
				t.Errorf("%v: called %d times, or stopped behind that", d, calls)
			}
			for n := range steps {
				x := AfterFunc(d, func() { calls++ })
				time.Sleep(d * time.Duration(n) / steps)
				if synctest.Wait(); d > steps && (!x.Stop() || x.Stop()) {
					t.Errorf("%v: not stopped once in step %d", d, n)
				}
				x.Stop()
			}
			before := calls
			time.Sleep(2 * time.Hour)
			if calls != before {
				t.Errorf("%v: called after it was stopped", d)
			}
		})
	}
}

// TestSteppedTimerLosesOneStep: a process that did not run for long has lost a step, and has the others.
func TestSteppedTimerLosesOneStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := time.Time{}
		x := AfterFunc(8*time.Second, func() { called = time.Now() })
		time.Sleep(2500 * time.Millisecond)
		x.t.Reset(time.Hour) // so late is the step of a process that does not run for an hour
		time.Sleep(time.Hour)
		runs := time.Now()
		time.Sleep(time.Minute)
		if d := called.Sub(runs); d < 4*time.Second || d > 6*time.Second {
			t.Errorf("called %v after it runs again", d)
		}
	})
}
