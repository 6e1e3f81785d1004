package output

// Locked reports whether the queue's lock is held: the sink is promised that it is, or that it is not.
func (q *Queue) Locked() bool {
	if q.mu.TryLock() {
		q.mu.Unlock()
		return false
	}
	return true
}

// Leases returns the slices that hold the pending output. They may be looked at after the queue has put them back: so a
// test sees that it did.
func (q *Queue) Leases() (all [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if f := q.next; f != nil {
		for _, g := range f.segs {
			all = append(all, g.b)
		}
		if len(f.tail) > 0 {
			all = append(all, f.tail)
		}
	}
	return all
}

// Buffer returns the capacity of the buffer that f holds.
func (f *Flight) Buffer() int { return cap(f.tail) }

// NextBuffer returns the capacity of the buffer that the pending output holds.
func (q *Queue) NextBuffer() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.next == nil {
		return 0
	}
	return q.next.Buffer()
}

// Slim reports whether the queue keeps nothing that an idle connection does not need.
func (q *Queue) Slim() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra == nil && q.next == nil
}

// Failed reports whether nothing can be sent any more. The caller has the queue's lock.
func (q *Queue) Failed() bool { return q.failed.Load() }

// WithBound returns a queue with a limit of that many pending bytes.
func WithBound(n int32) *Queue {
	q := new(Queue)
	q.Bound = n
	return q
}
