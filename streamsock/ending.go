package streamsock

// ending is how far the end of a connection has come. Peer.mu guards it.
//
//	open ──► told ──► closing       the peer has ended its half, and the user is the next to know
//	  └────► closing ──► told       this side ends the connection
//
// Why it ends is decided by the first of the two.
type ending struct {
	why     End
	told    bool // the user has received EventDisconnected, or is about to
	closing bool // only the messages that are queued now are sent
	left    int  // how many of these are left
}

// tell notes that the user is told why the peer has ended its half. It reports false if the end has been decided before.
func (e *ending) tell(why End) bool {
	if e.told || e.closing {
		return false
	}
	e.told, e.why = true, why
	return true
}

// close begins the end in order: so many queued messages are still sent. It reports false if the end has begun before.
func (e *ending) close(why End, left int) bool {
	if e.closing {
		return false
	}
	if e.closing, e.left = true, left; !e.told {
		e.why = why
	}
	return true
}

// over notes that the connection has ended by itself because of why, if nothing else has been decided before. It returns the
// End, and whether the user is still to be told.
func (e *ending) over(why End) (_ End, untold bool) {
	untold = !e.told
	e.tell(why)
	e.told = true
	return e.why, untold
}
