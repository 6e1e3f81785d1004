package http2

// What a client still sends of a request whose answer is whole is not needed: RFC 9113 §8.1 lets a server reset the
// stream with NO_ERROR then. But there are clients that take the reset for a failure and throw the answer away, when they
// see it before they have ended their message (curl before 8). So a body that may be on its way as a whole, by its
// content-length and its window, is passed over.

// leftFor is how long what is left of a body may take, in nanoseconds.
const leftFor = 1 * second

// leave has what is left of the peer's body passed over, and reports whether it is to be: the stream stays until that has
// come, although its owner has released it.
func (c *Conn) leave(s *Stream) bool {
	if c.err != nil || s.body < 0 || s.body > int64(s.recvWin) {
		return false
	}
	s.Owner = nil
	s.flags |= flagLeft
	s.stallAt = c.now + leftFor
	c.left++
	if c.leftDue == 0 {
		c.leftDue = s.stallAt
	}
	c.giveBack(s)
	return true
}

// giveBack consumes what was received of a stream that was left.
func (c *Conn) giveBack(s *Stream) {
	c.consumeConn(s.held)
	s.held = 0
}

// passOver takes an event of a stream that was left.
func (c *Conn) passOver(ev *Event) {
	s := ev.Stream
	if err := ev.Err; err != nil {
		*ev = Event{Kind: Refused, Code: err.Code, Err: err}
	} else {
		*ev = Event{}
	}
	c.giveBack(s)
	if s.body == 0 && s.state != Closed && c.frame.stream != s {
		c.close(s, endReset) // only the flag of the end is missing
	}
	if s.state == Closed {
		c.dropLeft(s)
	}
}

// dropLeft forgets a stream that was left and has ended.
func (c *Conn) dropLeft(s *Stream) {
	c.left--
	if s.has(flagAnswered) {
		c.answered--
	}
	c.forget(s)
	c.streams.remove(s)
}

// resetLeft resets the streams whose messages have taken too long, and finds out when the next one will have.
func (c *Conn) resetLeft() {
	for c.err == nil {
		next := int64(0)
		var late *Stream
		c.streams.each(func(s *Stream) bool {
			switch {
			case !s.has(flagLeft):
			case s.stallAt <= c.now:
				late = s
			case next == 0 || s.stallAt < next:
				next = s.stallAt
			}
			return late == nil
		})
		if late == nil {
			c.leftDue = next
			return
		}
		c.Reset(late, NoError)
		c.dropLeft(late)
	}
}
