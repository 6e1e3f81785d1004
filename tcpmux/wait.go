package tcpmux

import (
	"context"
	"os"
	"sync"
	"time"
)

// waiter is a goroutine that waits for something of a session. It is in the list of what it waits for; who takes it out of
// there, under the session's lock, sees to it that it is told. Session.unlock does.
type waiter struct {
	ready chan struct{} // of one place
	next  *waiter
}

var waiters = sync.Pool{New: func() any { return &waiter{ready: make(chan struct{}, 1)} }}

// waitList are those who wait for the same. The session's lock guards it.
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

// remove takes w out and reports whether it was there.
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

// tell has one who waits look again when the lock is given back.
func (s *Session) tell(l *waitList) {
	if w := l.pop(); w != nil {
		w.next, s.told = s.told, w
	}
}

// wake has those run who were told, when the lock has been given back.
func wake(told *waiter) {
	for told != nil {
		w := told
		told, w.next = w.next, nil
		w.ready <- struct{}{}
	}
}

// tellAll has all of them look again.
func (s *Session) tellAll(l *waitList) {
	for l.first != nil {
		s.tell(l)
	}
}

// await waits on l until told, until ctx ends, or until the deadline has passed. s.mu is held, but not meanwhile.
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
		// It has been told meanwhile: what it was told of is somebody else's.
		s.mu.Unlock()
		<-w.ready
		s.mu.Lock()
		s.tell(l)
	}
	waiters.Put(w)
	return err
}

// deadline is a time for one direction of a channel. The session's lock guards it.
type deadline struct {
	timer   *time.Timer
	passed  chan struct{} // closed when it has; nil: none is set
	changed chan struct{} // closed when it is; made by the first who watches
}

// set changes the deadline, and has those look again who wait.
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

// expired returns a channel that is closed when the deadline has passed, nil if there is none.
func (d *deadline) expired() <-chan struct{} { return d.passed }

// watch returns what expired does, and a channel that is closed when another deadline is set.
func (d *deadline) watch() (expired, changed <-chan struct{}) {
	if d.changed == nil {
		d.changed = make(chan struct{})
	}
	return d.passed, d.changed
}

// over reports whether it has passed.
func (d *deadline) over() bool {
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
