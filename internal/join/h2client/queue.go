package h2client

// queue holds the requests that wait until the server takes another one, first in, first out. The connection's lock
// guards it.
type queue struct {
	waiting  []*waiter
	admitted int // requests that were admitted and have not opened their streams yet
}

type waiter struct {
	ready    chan struct{} // closed when the request is admitted or dismissed
	admitted bool
}

// admit admits as many waiting requests as there is room for.
func (q *queue) admit(c *Conn) {
	for len(q.waiting) > 0 && c.WireLocked().Room() > q.admitted {
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

// wait waits to be admitted, until done is closed. It returns false if the connection takes no more requests, or done
// was closed first. The lock is released while wait waits; a caller that was admitted must open its stream before it
// releases the lock again.
func (q *queue) wait(c *Conn, done <-chan struct{}) bool {
	w := &waiter{ready: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	c.Unlock()
	canceled := false
	select {
	case <-w.ready:
	case <-done:
		canceled = true
	}
	c.Lock()
	if w.admitted {
		q.admitted--
		if canceled {
			q.admit(c)
		}
		return !canceled
	}
	if canceled {
		q.leave(w)
	}
	return false
}

// leave removes w from the queue.
func (q *queue) leave(w *waiter) {
	for i, other := range q.waiting {
		if other == w {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

// mayPass reports whether a request may begin without waiting.
func (q *queue) mayPass(c *Conn) bool {
	return len(q.waiting) == 0 && c.WireLocked().Room() > q.admitted
}
