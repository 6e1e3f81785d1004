package tcpmux

import "runtime"

// When output is sent. The output of a session waits in its core until the connection's output asks for it with conn.Lend.
// The goroutine that releases the session's lock tells the output that there is something:
//
//   - Within Data it is sent together with all other output when Data has returned.
//   - A message that is sent while nothing else is on its way is sent at once, on the sender's goroutine, so that a request
//     is not delayed.
//   - A message that is sent after another one, before anything has been received, is gathered: a new goroutine lets others
//     run first and then sends what they have added. So a stream of small messages leaves in large writes.
//   - Credit for messages that were taken is not urgent, and gathered as well.

// unlock releases the lock, wakes the goroutines in toWake, and sends pending output.
func (s *Session) unlock() { s.unlockAs(false) }

// unlockRead is unlock within Data. The goroutines that it wakes get to run before Data returns, so that their answers are
// sent in one write with everything else.
func (s *Session) unlockRead() {
	wakes := s.toWake != nil
	s.unlockAs(false)
	if wakes {
		runtime.Gosched()
	}
}

// unlockSent is unlock after a Send.
func (s *Session) unlockSent() {
	c := s.conn
	gather := c == nil || c.sentSinceRead
	if c != nil {
		c.sentSinceRead = true
	}
	s.unlockAs(gather)
}

// unlockTaken is unlock after a Receive.
func (s *Session) unlockTaken() { s.unlockAs(true) }

func (s *Session) unlockAs(gather bool) {
	toWake, c := s.toWake, s.conn
	s.toWake = nil
	if c == nil {
		s.origin.countHeldLocked(s)
	}
	draws := c != nil && !c.drawRequested && s.core.HasOutput()
	if draws {
		c.drawRequested = true
	}
	var drawSoon func()
	if draws && gather {
		if c.drawSoonFunc == nil {
			c.drawSoonFunc = c.drawSoon
		}
		drawSoon = c.drawSoonFunc
	}
	s.mu.Unlock()
	wakeGoroutines(toWake)
	switch {
	case !draws:
	case gather:
		go drawSoon()
	default:
		c.nc.Draw(c)
	}
}

// drawSoon sends gathered output.
func (c *conn) drawSoon() {
	runtime.Gosched()
	c.nc.Draw(c)
}

// Lend implements output.Lender.
func (c *conn) Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool) {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		c.drawRequested = false
		s.mu.Unlock()
		return dst, data, false
	}
	dst, data, more = s.core.Lend(dst, data, most)
	c.drawRequested = more
	if c.alive != nil {
		c.alive.draws++
	}
	toWake := s.toWake
	s.toWake = nil
	s.mu.Unlock()
	wakeGoroutines(toWake)
	return dst, data, more
}

// AppendOutput implements output.Source. It is not used: the output calls Lend.
func (c *conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	dst, data, more := c.Lend(dst, make([][]byte, 0, 4), most)
	for _, p := range data {
		dst = append(dst, p...)
	}
	return dst, more
}
