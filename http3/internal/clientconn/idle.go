package clientconn

import (
	"sync"
	"time"
)

// idleTimer bounds the waits of a reader. One timer serves all of them: when it fires, it checks the current wait.
type idleTimer struct {
	limit time.Duration // for each wait; 0 is for ever. The reader's
	mu    sync.Mutex
	timer *time.Timer
	state waiting
	until time.Time // of the wait that goes on
}

type waiting uint8

const (
	reading waiting = iota // no wait goes on
	inWait
	stopped // there are no more waits
)

// slower is called when a wait has lasted too long.
type slower interface{ tooSlow() }

// begin begins a wait for content.
func (t *idleTimer) begin(s slower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == stopped {
		return
	}
	t.state, t.until = inWait, time.Now().Add(t.limit)
	if t.timer == nil {
		t.timer = time.AfterFunc(t.limit, func() { t.fire(s) })
	}
}

// end ends it.
func (t *idleTimer) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == inWait {
		t.state = reading
	}
}

// fire ends a wait that has lasted too long.
func (t *idleTimer) fire(s slower) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch left := time.Until(t.until); {
	case t.state == stopped:
	case t.state == reading:
		t.timer = nil // the next wait starts another one
	case left > 0:
		t.timer.Reset(left)
	default:
		go s.tooSlow()
	}
}

// stop ends the timer.
func (t *idleTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state = stopped
	if t.timer != nil {
		t.timer.Stop()
	}
}
