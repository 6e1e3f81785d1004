package http2

// When the response is complete, the rest of the request is not needed: RFC 9113 §8.1 allows a server to reset the stream
// with NO_ERROR. But some clients (curl before 8) take such a reset for a failure and discard the response, if they see
// the reset before they have sent their whole request. So if the whole rest of the body may already be on its way,
// judging by content-length and the window, it is received and discarded instead.

// discardTimeout is how long the rest of a body may take, in nanoseconds.
const discardTimeout = 1 * second

// discardRest decides whether the rest of the peer's body is to be discarded. If it returns true, the stream stays until
// that has arrived, although its owner has released it.
func (k *core) discardRest(s *Stream) bool {
	if k.err != nil || s.body < 0 || s.body > int64(s.recv.left) {
		return false
	}
	s.Owner = nil
	k.streams.enter(s, phaseDiscarding)
	s.stall.at = k.now + discardTimeout
	if k.discardDue == 0 {
		k.discardDue = s.stall.at
	}
	k.consumeAll(s)
	return true
}

// consumeAll consumes what was received on a stream that is being discarded.
func (k *core) consumeAll(s *Stream) {
	k.consumeConn(s.unconsumed)
	s.unconsumed = 0
}

// discardEvent handles an event of a stream that is being discarded. If the event is to be returned, it becomes an
// EventRefused. inFrame means that more of a DATA frame on this stream follows.
func (k *core) discardEvent(ev *Event, inFrame bool) {
	s := ev.Stream
	if err := ev.Err; err != nil {
		*ev = Event{Kind: EventRefused, Code: err.Code, Err: err}
	} else {
		*ev = Event{}
	}
	k.consumeAll(s)
	if s.body == 0 && !s.phase.closed() && !inFrame {
		k.close(s, phaseReset, endReset) // only END_STREAM is missing
	}
	if s.phase.closed() {
		k.streams.drop(s)
	}
}

// resetDiscarding resets the discarded streams whose time is over, and sets discardDue to the time of the next one.
func (k *core) resetDiscarding() {
	for k.err == nil {
		next := int64(0)
		var late *Stream
		k.streams.each(func(s *Stream) bool {
			switch {
			case s.phase != phaseDiscarding:
			case s.stall.at <= k.now:
				late = s
			case next == 0 || s.stall.at < next:
				next = s.stall.at
			}
			return late == nil
		})
		if late == nil {
			k.discardDue = next
			return
		}
		k.reset(late, ErrCodeNo)
		k.streams.drop(late)
	}
}
