package http3

import (
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// idleTimer bounds the waits of a reader. One timer does for all of them: it looks at the wait that goes on when it fires.
type idleTimer struct {
	mu      sync.Mutex
	timer   *time.Timer
	waiting bool
	until   time.Time // of the wait that goes on
	stopped bool
}

// begin begins a wait for content.
func (t *idleTimer) begin(x *clientExchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting, t.until = true, time.Now().Add(x.idle)
	if t.timer == nil {
		t.timer = time.AfterFunc(x.idle, func() { t.fire(x) })
	}
}

// end ends it.
func (t *idleTimer) end() {
	t.mu.Lock()
	t.waiting = false
	t.mu.Unlock()
}

// fire ends a wait that has gone on for too long.
func (t *idleTimer) fire(x *clientExchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch left := time.Until(t.until); {
	case t.stopped:
	case !t.waiting:
		t.timer = nil // the next wait starts another one
	case left > 0:
		t.timer.Reset(left)
	default:
		go x.abort(h3frame.RequestCancelled, errSlow)
	}
}

// stop ends the timer.
func (t *idleTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}

// SetReadTimeout implements carrier.ClientStream.
func (x *clientExchange) SetReadTimeout(d time.Duration) { x.idle = d }
