package output

// Locked reports whether somebody holds the queue's lock: the sink is promised that, or the opposite.
func (q *Queue) Locked() bool {
	if q.mu.TryLock() {
		q.mu.Unlock()
		return false
	}
	return true
}

// Leases returns the slices that hold what is pending. They may be looked at after the queue has put them back: that is
// how a test sees that it did.
func (q *Queue) Leases() (all [][]byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.extra != nil {
		for _, g := range q.extra.segs {
			all = append(all, g.b)
		}
	}
	if q.tail != nil {
		all = append(all, q.tail)
	}
	return all
}

// Slim reports whether the queue has given up what an idle connection does not need.
func (q *Queue) Slim() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.extra == nil && q.tail == nil
}

// Failed reports whether nothing can be sent any more, for who has the queue's lock.
func (q *Queue) Failed() bool { return q.health != sound }
