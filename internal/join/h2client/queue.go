package h2client

// queue holds the requests that wait until the server takes another one, first in, first out. The connection's lock
// guards it.
type queue struct {
	waiting  []*waiter
	admitted int // requests that were admitted and have not left the queue yet
}

type waiter struct {
	ready    chan struct{} // closed when the request is admitted or dismissed
	admitted bool
}

// mayPass reports whether a request may begin without waiting when the server has room for so many.
func (q *queue) mayPass(room int) bool { return len(q.waiting) == 0 && room > q.admitted }

// admit admits as many waiting requests as there is room for.
func (q *queue) admit(room int) {
	for len(q.waiting) > 0 && room > q.admitted {
		w := q.waiting[0]
		q.waiting[0], q.waiting = nil, q.waiting[1:]
		w.admitted = true
		q.admitted++
		close(w.ready)
	}
}

// dismiss makes all waiting requests return: none is admitted any more.
func (q *queue) dismiss() {
	for _, w := range q.waiting {
		close(w.ready)
	}
	q.waiting = nil
}

// join adds a request at the end.
func (q *queue) join() *waiter {
	w := &waiter{ready: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	return w
}

// leave takes w out of the queue, and reports whether it was admitted.
func (q *queue) leave(w *waiter) (admitted bool) {
	if w.admitted {
		q.admitted--
		return true
	}
	for i, other := range q.waiting {
		if other == w {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			break
		}
	}
	return false
}
