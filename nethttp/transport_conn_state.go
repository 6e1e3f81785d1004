package nethttp

// connState is what a ClientConn tells of itself.
type connState struct {
	available, inFlight int
	ended               bool
}

// stateHook is SetStateHook's. The ClientConn's lock guards it.
type stateHook struct {
	f       func(*ClientConn)
	running bool
	last    connState // what f, or somebody who could have told it, has seen
}

// state returns how it is now. The lock is held.
func (cc *ClientConn) state() (s connState) {
	most, over := cc.conn.Most()
	if s.ended = over || cc.closed; s.ended {
		return s
	}
	s.inFlight = cc.running + cc.reserved
	s.available = max(most-s.inFlight, 0)
	return s
}

// SetStateHook has f be called when requests may be sent that could not before, when one is over, or when the connection
// has ended: by whoever makes that so, also by RoundTrip and by Close of a Body, and at once if it has come about already. It
// is called by one goroutine at a time. A second f takes the place of the first; nil is none.
func (cc *ClientConn) SetStateHook(f func(*ClientConn)) {
	cc.mu.Lock()
	cc.hook.f = f
	f = cc.hookDue(false)
	cc.mu.Unlock()
	if f != nil {
		go cc.callHook(f)
	}
}

// changed is called when the state may be another one.
func (cc *ClientConn) changed() {
	cc.mu.Lock()
	cc.admit()
	f := cc.hookDue(false)
	cc.mu.Unlock()
	if f != nil {
		cc.callHook(f)
	}
}

// callHook calls f, and has it be called again if more has happened meanwhile.
func (cc *ClientConn) callHook(f func(*ClientConn)) {
	f(cc)
	cc.mu.Lock()
	f = cc.hookDue(true)
	cc.mu.Unlock()
	if f != nil {
		go cc.callHook(f) // who has called us is not held up for ever
	}
}

// noteBegun is called when a request is under way or reserved: the end of that will be told. The lock is held.
func (cc *ClientConn) noteBegun() {
	s, last := cc.state(), &cc.hook.last
	last.available = min(last.available, s.available)
	last.inFlight = max(last.inFlight, s.inFlight)
}

// hookDue returns the hook if it is to be called; told: the last call is over. The lock is held.
func (cc *ClientConn) hookDue(told bool) func(*ClientConn) {
	h := &cc.hook
	h.running = h.running && !told
	if h.f == nil || h.running {
		return nil
	}
	now, before := cc.state(), h.last
	h.last = now
	if now.available <= before.available && now.inFlight >= before.inFlight && now.ended == before.ended {
		return nil
	}
	h.running = true
	return h.f
}
