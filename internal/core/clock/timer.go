package clock

import (
	"sync/atomic"
	"time"
)

// Timer calls a function once. Time that is lost does not count. All methods may be called concurrently.
type Timer struct {
	k     *Clock
	place Deadline
	at    atomic.Int64 // 0: f has been called, or the timer was stopped
	f     func()
}

// AfterFunc calls f on a goroutine of its own when d has passed, and not before.
func (k *Clock) AfterFunc(d time.Duration, f func()) *Timer {
	t := &Timer{k: k, f: f}
	t.Reset(d)
	return t
}

// Reset makes the timer call its function when d has passed from now, also if it has called it before.
func (t *Timer) Reset(d time.Duration) {
	at := t.k.Exact() + int64(max(d, 1))
	t.at.Store(at)
	t.k.Arm(t, at)
}

// Stop keeps the timer from calling its function, and reports whether it will not.
func (t *Timer) Stop() bool {
	stopped := t.at.Swap(0) != 0
	t.k.Disarm(t)
	return stopped
}

// Deadline implements Holder.
func (t *Timer) Deadline() *Deadline { return &t.place }

// Expired implements Holder.
func (t *Timer) Expired(now Moment) (next Moment) {
	at := t.at.Load()
	if Passed(at, now) && t.at.CompareAndSwap(at, 0) {
		go t.f()
		return 0
	}
	return t.at.Load()
}
