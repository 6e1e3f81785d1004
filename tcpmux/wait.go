package tcpmux

import (
	"context"
	"os"
	"sync"
	"time"
)

// waiter is a goroutine that waits for an event of a session. It is in a waitList. A goroutine that removes it from there,
// under the session's lock, must put it into Session.toWake; unlock then wakes it.
type waiter struct {
	ready chan struct{} // capacity 1
	next  *waiter
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

// waitList is a queue of goroutines that wait for the same event. The session's lock guards it.
type waitList struct{ first, last *waiter }

func (l *waitList) push(w *waiter) {
	w.next = nil
	if l.last != nil {
		l.last.next = w
	} else {
		l.first = w
	}
	l.last = w
}

func (l *waitList) pop() *waiter {
	w := l.first
	if w == nil {
		return nil
	}
	if l.first = w.next; l.first == nil {
		l.last = nil
	}
	w.next = nil
	return w
}

// remove removes w and reports whether it was in the list.
func (l *waitList) remove(w *waiter) bool {
	var before *waiter
	for x := l.first; x != nil; before, x = x, x.next {
		if x != w {
			continue
		}
		if before != nil {
			before.next = w.next
		} else {
			l.first = w.next
		}
		if l.last == w {
			l.last = before
		}
		w.next = nil
		return true
	}
	return false
}

// wakeOne wakes the first waiter of l when the lock is released.
func (s *Session) wakeOne(l *waitList) {
	if w := l.pop(); w != nil {
		w.next, s.toWake = s.toWake, w
	}
}

// wakeGoroutines wakes the waiters of a list. The lock is not held.
func wakeGoroutines(toWake *waiter) {
	for toWake != nil {
		w := toWake
		toWake, w.next = w.next, nil
		w.ready <- struct{}{}
	}
}

// wakeAll wakes all waiters of l when the lock is released.
func (s *Session) wakeAll(l *waitList) {
	for l.first != nil {
		s.wakeOne(l)
	}
}

// await waits on l until woken, until ctx is done, or until d has passed. s.mu is held, and released meanwhile.
func (s *Session) await(ctx context.Context, l *waitList, d *deadline) error {
	w := waiters.Get().(*waiter)
	l.push(w)
	var expired <-chan struct{}
	if d != nil {
		expired = d.expired()
	}
	s.unlock()
	var err error
	select {
	case <-w.ready:
		s.mu.Lock()
		waiters.Put(w)
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-expired:
		err = os.ErrDeadlineExceeded
	}
	s.mu.Lock()
	if !l.remove(w) {
		// It was woken meanwhile: pass that on to the next waiter.
		s.mu.Unlock()
		<-w.ready
		s.mu.Lock()
		s.wakeOne(l)
	}
	waiters.Put(w)
	return err
}

// deadline is the deadline of one direction of a channel. The session's lock guards it.
type deadline struct {
	timer   *time.Timer
	passed  chan struct{} // closed when the deadline has passed; nil: there is none
	changed chan struct{} // closed when the deadline is changed; made by watch
}

// set changes the deadline and tells the goroutines that watch it.
func (d *deadline) set(t time.Time) {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	if d.changed != nil {
		close(d.changed)
		d.changed = nil
	}
	d.passed = nil
	if t.IsZero() {
		return
	}
	passed := make(chan struct{})
	d.passed = passed
	if wait := time.Until(t); wait > 0 {
		d.timer = time.AfterFunc(wait, func() { close(passed) })
	} else {
		close(passed)
	}
}

// expired returns a channel that is closed when the deadline has passed, nil if there is no deadline.
func (d *deadline) expired() <-chan struct{} { return d.passed }

// watch is expired, and also returns a channel that is closed when the deadline is changed.
func (d *deadline) watch() (expired, changed <-chan struct{}) {
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.passed, d.changed
}

// exceeded reports whether the deadline has passed.
func (d *deadline) exceeded() bool {
	if d.passed == nil {
		return false
	}
	select {
	case <-d.passed:
		return true
	default:
		return false
	}
}
