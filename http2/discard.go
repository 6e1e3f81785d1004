package http2

// When the response is complete, the rest of the request is not needed: RFC 9113 §8.1 allows a server to reset the stream
// with NO_ERROR. But some clients (curl before 8) take such a reset for a failure and discard the response, if they see
// the reset before they have sent their whole request. So if the whole rest of the body may already be on its way,
// judging by content-length and the window, it is received and discarded instead.

// discardTimeout is how long the rest of a body may take, in nanoseconds.
const discardTimeout = 1 * second

// discardRest decides whether the rest of the peer's body is to be discarded. If it returns true, the stream stays until
// that has arrived, although its owner has released it.
func (c *Conn) discardRest(s *Stream) bool {
	if c.err != nil || s.body < 0 || s.body > int64(s.recvWin) {
		return false
	}
	s.Owner = nil
	s.flags |= flagDiscard
	s.stallAt = c.now + discardTimeout
	c.discarding++
	if c.discardDue == 0 {
		c.discardDue = s.stallAt
	}
	c.consumeAll(s)
	return true
}

// consumeAll consumes what was received on a stream that is being discarded.
func (c *Conn) consumeAll(s *Stream) {
	c.consumeConn(s.unconsumed)
	s.unconsumed = 0
}

// discardEvent handles an event of a stream that is being discarded. If the event is to be returned, it becomes an
// EventRefused.
func (c *Conn) discardEvent(ev *Event) {
	s := ev.Stream
	if err := ev.Err; err != nil {
		*ev = Event{Kind: EventRefused, Code: err.Code, Err: err}
	} else {
		*ev = Event{}
	}
	c.consumeAll(s)
	if s.body == 0 && s.state != StateClosed && c.frame.stream != s {
		c.close(s, endReset) // only END_STREAM is missing
	}
	if s.state == StateClosed {
		c.dropDiscarded(s)
	}
}

// dropDiscarded removes a stream whose rest was discarded.
func (c *Conn) dropDiscarded(s *Stream) {
	c.discarding--
	if s.has(flagCompleted) {
		c.completed--
	}
	c.forget(s)
	c.streams.remove(s)
}

// resetDiscarding resets the discarded streams whose time is over, and sets discardDue to the time of the next one.
func (c *Conn) resetDiscarding() {
	for c.err == nil {
		next := int64(0)
		var late *Stream
		c.streams.each(func(s *Stream) bool {
			switch {
			case !s.has(flagDiscard):
			case s.stallAt <= c.now:
				late = s
			case next == 0 || s.stallAt < next:
				next = s.stallAt
			}
			return late == nil
		})
		if late == nil {
			c.discardDue = next
			return
		}
		c.Reset(late, ErrCodeNo)
		c.dropDiscarded(late)
	}
}
