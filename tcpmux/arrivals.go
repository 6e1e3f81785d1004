package tcpmux

// arrivals are the channels that the peer has opened and that were not accepted yet, and the calls that wait for them. A session
// has none while it is idle. The session's lock guards them.
type arrivals struct {
	accepters waitList   // goroutines in Accept
	pending   []*Channel // in the order in which they were opened
	stale     int        // how many of pending are not to be accepted any more
	serving   int        // calls of Config.OnChannel that run
}

// accepting holds the arrivals of a session, and nothing while there are none.
type accepting struct{ arrivals *arrivals }

// ensure returns the arrivals and creates them if necessary.
func (k *accepting) ensure() *arrivals {
	if k.arrivals == nil {
		k.arrivals = new(arrivals)
	}
	return k.arrivals
}

// trim releases the arrivals if there are none.
func (k *accepting) trim() {
	if a := k.arrivals; a != nil && a.accepters.first == nil && a.waiting() == 0 && a.serving == 0 {
		k.arrivals = nil
	}
}

// waiting returns how many channels are to be accepted. a may be nil.
func (a *arrivals) waiting() int {
	if a == nil {
		return 0
	}
	return len(a.pending) - a.stale
}

// claim takes c, a channel that the peer has opened, away from Accept. It reports false if c was accepted already or opened
// by this side.
func (a *arrivals) claim(c *Channel) bool {
	if !c.unaccepted {
		return false
	}
	c.unaccepted = false
	c.core.Claim()
	a.stale++
	a.compact()
	return true
}

// compact removes stale channels from pending when there are many.
func (a *arrivals) compact() {
	if a.stale < max(32, len(a.pending)/2) {
		return
	}
	left := a.pending[:0]
	for _, c := range a.pending {
		if c.unaccepted {
			left = append(left, c)
		}
	}
	clear(a.pending[len(left):])
	a.pending, a.stale = left, 0
}

// next returns the next channel that is to be accepted, or nil. a may be nil.
func (a *arrivals) next() *Channel {
	for a != nil && len(a.pending) > 0 {
		c := a.pending[0]
		a.pending[0] = nil
		if a.pending = a.pending[1:]; len(a.pending) == 0 {
			a.pending = nil
		}
		if c.unaccepted {
			c.unaccepted = false
			return c
		}
		a.stale--
	}
	return nil
}
