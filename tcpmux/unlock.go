package tcpmux

import "runtime"

// When output is sent. The output of a session waits in its core until the connection's output asks for it with conn.Lend.
// The goroutine that releases the session's lock tells the output that there is something:
//
//   - Within Data it is sent together with all other output when Data has returned.
//   - A message is sent at once or gathered; see output.Gather.
//   - Credit for messages that were taken is not urgent, and always gathered.

// unlock releases the lock, wakes the goroutines in toWake, and sends pending output.
func (s *Session) unlock() { s.unlockAs(false) }

// unlockRead is unlock within Data. The goroutines that it wakes get to run before Data returns, so that their replies are
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
	s.unlockAs(c == nil || c.gather.Sends())
}

// unlockTaken is unlock after a Receive.
func (s *Session) unlockTaken() { s.unlockAs(true) }

func (s *Session) unlockAs(gather bool) {
	toWake, c := s.toWake, s.conn
	s.toWake = nil
	if c == nil {
		s.origin.countHeldLocked(s)
	}
	draws := c != nil && s.core.HasOutput() && c.gather.Ask()
	var drawSoon func()
	if draws && gather {
		drawSoon = c.gather.Soon(c)
	}
	s.mu.Unlock()
	wakeGoroutines(toWake)
	switch {
	case !draws:
	case gather:
		go drawSoon()
	default:
		c.DrawNow()
	}
}

// DrawNow implements output.Drawer.
func (c *conn) DrawNow() { c.nc.DrawLent(c) }

// Lend implements output.Lender.
func (c *conn) Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool) {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		c.gather.Drawn(false)
		s.mu.Unlock()
		return dst, data, false
	}
	dst, data, more = s.core.Lend(dst, data, most)
	c.gather.Drawn(more)
	if c.alive != nil {
		c.alive.draws++
	}
	toWake := s.toWake
	s.toWake = nil
	s.mu.Unlock()
	wakeGoroutines(toWake)
	return dst, data, more
}
