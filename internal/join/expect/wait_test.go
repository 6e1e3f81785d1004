package expect

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A wait ends when it is stopped, when its time has passed, or when the request is done, and at once if no wait has begun.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var mu sync.Mutex // of the owner
		var w Wait
		For(w.Over(), time.Hour, nil)
		w.EndLocked()
		w.Begin()
		over := w.Over()
		go func() {
			mu.Lock()
			defer mu.Unlock()
			w.EndLocked()
		}()
		For(over, time.Hour, nil)
		mu.Lock()     // for the rest of the test
		w.EndLocked() // once more
		For(w.Over(), time.Hour, nil)
		w.Begin()
		done := make(chan struct{})
		close(done)
		For(w.Over(), time.Hour, done)
		if took := time.Since(begin); took != 0 {
			t.Errorf("it took %v", took)
		}
		For(w.Over(), time.Minute, nil)
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("it took %v, want a minute", took)
		}
	})
}
