package roundtrip

// connState is the state that a Conn reports.
type connState struct {
	available, inFlight int
	ended               bool
}

// stateHook is the hook set with SetStateHook. ClientConn.mu guards it.
type stateHook struct {
	f       func()
	running bool      // a goroutine is calling f
	last    connState // the state that the next change is compared with
}

// stateLocked returns the current state.
func (cc *Conn) stateLocked() (s connState) {
	most, over := cc.conn.Most()
	if s.ended = over || cc.closed; s.ended {
		return s
	}
	s.inFlight = cc.running + cc.reserved
	s.available = max(most-s.inFlight, 0)
	return s
}

// SetStateHook sets f to be called when more requests can be sent than before, when a request has ended, and when the
// connection has ended. The goroutine that causes the change calls it, which may be one in RoundTrip or in Close of a
// Body. If such a change has happened already, f is called at once, on another goroutine. f is not called
// concurrently. It replaces an earlier hook; nil removes it.
func (cc *Conn) SetStateHook(f func()) {
	cc.mu.Lock()
	cc.hook.f = f
	f = cc.hookDueLocked(false)
	cc.mu.Unlock()
	if f != nil {
		go cc.callHook(f)
	}
}

// changed is called when the state may have changed.
func (cc *Conn) changed() {
	cc.mu.Lock()
	cc.admitLocked()
	f := cc.hookDueLocked(false)
	cc.mu.Unlock()
	if f != nil {
		cc.callHook(f)
	}
}

// callHook calls f. If the state has changed meanwhile, it starts a goroutine that calls the hook again.
func (cc *Conn) callHook(f func()) {
	f()
	cc.mu.Lock()
	f = cc.hookDueLocked(true)
	cc.mu.Unlock()
	if f != nil {
		go cc.callHook(f) // so that the caller is not held up for ever
	}
}

// noteBegunLocked is called when a request or a reservation has begun, so that the hook is called when it ends.
func (cc *Conn) noteBegunLocked() {
	s, last := cc.stateLocked(), &cc.hook.last
	last.available = min(last.available, s.available)
	last.inFlight = max(last.inFlight, s.inFlight)
}

// hookDueLocked returns the hook if it must be called now. If returned is true, a call of the hook has just returned.
func (cc *Conn) hookDueLocked(returned bool) func() {
	h := &cc.hook
	h.running = h.running && !returned
	if h.f == nil || h.running {
		return nil
	}
	now, before := cc.stateLocked(), h.last
	h.last = now
	if now.available <= before.available && now.inFlight >= before.inFlight && now.ended == before.ended {
		return nil
	}
	h.running = true
	return h.f
}
