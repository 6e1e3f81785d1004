package clock

import (
	"sync"
	"time"
)

// steps is how many steps a SteppedTimer takes.
const steps = 8

// SteppedTimer calls a function once, for code that has no Clock. It waits in steps, so that of time that is lost no more
// than one step counts. All methods may be called concurrently.
type SteppedTimer struct {
	mu   sync.Mutex
	t    *time.Timer
	left time.Duration // behind the step that is under way; negative: f is called, or the timer was stopped
	step time.Duration
	f    func()
}

// AfterFunc calls f on a goroutine of its own when d has passed, and not before.
func AfterFunc(d time.Duration, f func()) *SteppedTimer {
	t := &SteppedTimer{f: f, step: max(d/steps, 1)}
	t.left = max(d, t.step) - t.step
	t.mu.Lock()
	defer t.mu.Unlock()
	t.t = time.AfterFunc(t.step, t.stepped)
	return t
}

// stepped begins the next step, or calls f behind the last one.
func (t *SteppedTimer) stepped() {
	t.mu.Lock()
	if t.left > 0 {
		step := min(t.step, t.left)
		t.left -= step
		t.t.Reset(step)
		t.mu.Unlock()
		return
	}
	over := t.left == 0
	t.left = -1
	t.mu.Unlock()
	if over {
		t.f()
	}
}

// Stop keeps the timer from calling its function, and reports whether it will not.
func (t *SteppedTimer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	stopped := t.left >= 0
	t.left = -1
	t.t.Stop()
	return stopped
}
