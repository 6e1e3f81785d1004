package h2conn

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// waiter is the state of a goroutine that waits for the peer. The connection's lock guards it, except wake.
type waiter struct {
	wake         chan struct{} // buffered, for one signal
	waiting      bool          // the goroutine is waiting
	deadline     netconn.Due   // of reads or writes; 0 is none
	rateDeadline int64         // when this wait violates Policy.MinReadRate; 0 is never
	err          error         // why there is nothing more to wait for

	interrupted error // set by InterruptLocked
}

// reset prepares w for another stream.
func (w *waiter) reset() {
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
	select {
	case <-w.wake:
	default:
	}
	w.waiting, w.deadline, w.err, w.interrupted = false, 0, nil, nil
}

// signal wakes the goroutine. It does not block.
func (w *waiter) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// interrupt makes the goroutine fail with err.
func (w *waiter) interrupt(err error) {
	w.interrupted = err
	w.signal()
}

// setDue sets the deadline.
func (w *waiter) setDue(at netconn.Due) {
	w.deadline = at
	if w.waiting {
		w.signal() // the goroutine sees the new deadline and waits again
	}
}

// passed reports whether the deadline has passed.
func (w *waiter) passed(c *session) bool {
	return w.deadline != 0 && c.link.MomentOf(w.deadline) <= c.Now()
}

// await waits until w is signaled. Alarm signals it at its deadline, and at the time by if that is not 0. The lock is
// released meanwhile.
func (w *waiter) await(c *session, by int64) { w.awaitOr(c, by, nil) }

// awaitOr is await that also returns when done is closed; done may be nil.
func (w *waiter) awaitOr(c *session, by int64, done <-chan struct{}) {
	c.ArmLocked(earlier(c.link.MomentOf(w.deadline), by))
	w.rateDeadline, w.waiting = by, true
	c.mu.Unlock()
	if done == nil {
		<-w.wake
	} else {
		select {
		case <-w.wake:
		case <-done:
		}
	}
	c.mu.Lock()
	w.waiting = false
}

// expire wakes the goroutine if its deadline has passed, and returns the next deadline otherwise, 0 if there is none.
func (w *waiter) expire(c *session, now int64) (next int64) {
	by := earlier(c.link.MomentOf(w.deadline), w.rateDeadline)
	if !w.waiting || by == 0 {
		return 0
	}
	if by > now {
		return by
	}
	w.signal()
	return 0
}
