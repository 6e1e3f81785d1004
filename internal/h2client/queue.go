package h2client

// queue is who waits until the server takes another request: the first comes first. The lock of the connection guards it.
type queue struct {
	waiting  []*waiter
	admitted int // were told to come, and have not come yet
}

type waiter struct {
	told     chan struct{} // closed when admitted or dismissed
	admitted bool
}

// admit tells those to come for whom there is room. The lock is held.
func (q *queue) admit(c *Conn) {
	for len(q.waiting) > 0 && c.Wire().Room() > q.admitted {
		w := q.waiting[0]
		q.waiting[0], q.waiting = nil, q.waiting[1:]
		w.admitted = true
		q.admitted++
		close(w.told)
	}
}

// dismiss tells all that nobody is admitted any more. The lock is held.
func (q *queue) dismiss() {
	for _, w := range q.waiting {
		close(w.told)
	}
	q.waiting = nil
}

// wait waits to be admitted, or until done is closed. It returns false if the connection takes no more requests, or done
// came first. The lock is held, and given back meanwhile; who is admitted opens its stream before it gives it back again.
func (q *queue) wait(c *Conn, done <-chan struct{}) bool {
	w := &waiter{told: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	c.Unlock()
	late := false
	select {
	case <-w.told:
	case <-done:
		late = true
	}
	c.Lock()
	if w.admitted {
		q.admitted--
		if late {
			q.admit(c)
		}
		return !late
	}
	if late {
		q.leave(w)
	}
	return false
}

// leave takes w out.
func (q *queue) leave(w *waiter) {
	for i, other := range q.waiting {
		if other == w {
			q.waiting = append(q.waiting[:i], q.waiting[i+1:]...)
			return
		}
	}
}

// mayPass reports whether a request may begin without waiting. The lock is held.
func (q *queue) mayPass(c *Conn) bool {
	return len(q.waiting) == 0 && c.Wire().Room() > q.admitted
}
