package request

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// half is what limits how long one half of a stream waits for the client. While a goroutine waits in a call of QUIC's, expire ends that
// call when the time has come. mu guards it, but for headBy, which is the goroutine's that waits, and timed.
type half struct {
	headBy clock.Moment // when the head must have come; 0: none
	timed  atomic.Bool  // the user has set a deadline: without one hasPassed needs neither the lock nor the time

	mu          sync.Mutex
	deadline    clock.Due    // the user's; 0: none
	by          clock.Moment // when this wait is too slow; 0: never
	waiting     bool
	interrupted error // set by interrupt
}

// pace requires a minimum rate of a client. A message that was waited for longer than the grace must have arrived at that average rate.
type pace struct {
	waited int64 // nanoseconds of waiting so far
	bytes  int64 // what came meanwhile
}

// left returns how much longer to wait, at a rate in bytes a second; 0 means for ever.
func (p *pace) left(rate int, grace time.Duration) time.Duration {
	if rate <= 0 {
		return 0
	}
	due := max(int64(grace), p.bytes*int64(time.Second)/int64(rate))
	return time.Duration(max(due-p.waited, 1))
}

// begin starts a wait of at most limit; 0 means for ever. When the limit is reached, the clock calls the holder.
func (w *half) begin(c *clock.Clock, holder clock.Holder, limit time.Duration) (began clock.Moment, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := c.Now()
	switch {
	case w.interrupted != nil:
		return 0, w.interrupted
	case clock.Passed(c.Moment(w.deadline), now), clock.Passed(w.headBy, now):
		return 0, netconn.ErrSlow
	}
	w.by = w.headBy
	if limit > 0 {
		w.by = clock.Earlier(w.by, clock.After(now, limit))
	}
	w.waiting = true
	c.Arm(holder, clock.Earlier(c.Moment(w.deadline), w.by))
	return now, nil
}

// end ends a wait. It returns how long it was, and why the call was interrupted: nil if it was not, or without a reason.
func (w *half) end(c *clock.Clock, began clock.Moment) (waited int64, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = false
	now := c.Now()
	switch {
	case w.interrupted != nil:
		return now - began, w.interrupted
	case clock.Passed(c.Moment(w.deadline), now), clock.Passed(w.by, now):
		return now - began, netconn.ErrSlow
	}
	return now - began, nil
}

// expire interrupts a wait that is due, and returns when a wait that goes on is due, 0 for never.
func (w *half) expire(c *clock.Clock, now clock.Moment, interrupt func()) (next clock.Moment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	at := w.dueLocked(c)
	if clock.Passed(at, now) {
		interrupt()
		return 0
	}
	return at
}

// dueLocked returns when a call that waits is to be interrupted, 0 for never.
func (w *half) dueLocked(c *clock.Clock) clock.Moment {
	if !w.waiting {
		return 0
	}
	return clock.Earlier(c.Moment(w.deadline), w.by)
}

// limit sets the user's deadline to d from now; 0 leaves it unchanged. It is called while no goroutine waits.
func (w *half) limit(c *clock.Clock, d time.Duration) {
	if d <= 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = clock.Limit(clock.After(c.Now(), d))
	w.timed.Store(true)
}

// setDeadline sets the user's deadline, including that of a current wait. The zero time means none.
func (w *half) setDeadline(c *clock.Clock, holder clock.Holder, t time.Time) {
	var due clock.Due
	if !t.IsZero() {
		c.At(t) // if it is not in the future, it has come
		due = c.Due(t)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = due
	w.timed.Store(due != 0)
	if w.waiting {
		c.Arm(holder, max(w.dueLocked(c), 1))
	}
}

// hasPassed reports whether the user's deadline has passed.
func (w *half) hasPassed(c *clock.Clock) bool {
	if !w.timed.Load() {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return clock.Passed(c.Moment(w.deadline), c.Now())
}

// interrupt makes later waits fail with err. It does not end a current wait.
func (w *half) interrupt(err error) {
	w.mu.Lock()
	w.interrupted = err
	w.mu.Unlock()
}

// isInterrupted reports whether interrupt was called.
func (w *half) isInterrupted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.interrupted != nil
}

// reset prepares w for another stream.
func (w *half) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timed.Store(false)
	w.headBy, w.deadline, w.by, w.waiting, w.interrupted = 0, 0, 0, false, nil
}
