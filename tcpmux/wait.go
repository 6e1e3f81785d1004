package tcpmux

import (
	"sync"
)

// waiter is a goroutine that waits for an event of a session. It is in a waitList. A goroutine that removes it from there,
// under the session's lock, must add it to the session's wakes; unlock then wakes it.
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

// wakes are the goroutines that are woken when the session's lock is released.
type wakes struct{ toWake *waiter }

// add makes unlock wake w, which is no longer in a list.
func (k *wakes) add(w *waiter) { w.next, k.toWake = k.toWake, w }

// wakeOne wakes the first waiter of l when the lock is released.
func (k *wakes) wakeOne(l *waitList) {
	if w := l.pop(); w != nil {
		k.add(w)
	}
}

// wakeAll wakes all waiters of l when the lock is released.
func (k *wakes) wakeAll(l *waitList) {
	for l.first != nil {
		k.wakeOne(l)
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
