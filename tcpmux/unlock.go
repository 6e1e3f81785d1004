package tcpmux

import "runtime"

// Who sends, and when. What a session has to say waits in its core until the connection's output asks for it (conn.Lend). The
// output is told that there is something by whoever gives the lock back:
//
//   - within Data it leaves with everything else when Data has returned;
//   - a message that is sent while nothing else is on its way leaves at once, on the sender's goroutine: a conversation
//     waits for nobody;
//   - what is sent behind that, before anything has come back, is gathered: a goroutine that lets others run first takes
//     what has come together by then. So a stream of small messages leaves in large pieces;
//   - credit for what was taken is in no hurry, and gathered as well.

// unlock gives the lock back, wakes those who were told, and has sent what there is to be sent.
func (s *Session) unlock() { s.unlockAs(false) }

// unlockRead is unlock within Data. Those who were told run before Data returns: what they answer leaves with everything
// else, in one write.
func (s *Session) unlockRead() {
	told := s.told != nil
	s.unlockAs(false)
	if told {
		runtime.Gosched()
	}
}

// unlockSent is unlock behind a Send.
func (s *Session) unlockSent() {
	c := s.conn
	gather := c == nil || c.warm
	if c != nil {
		c.warm = true
	}
	s.unlockAs(gather)
}

// unlockTaken is unlock behind a Receive.
func (s *Session) unlockTaken() { s.unlockAs(true) }

func (s *Session) unlockAs(gather bool) {
	told, c := s.told, s.conn
	s.told = nil
	if c == nil {
		s.weigh()
	}
	draws := c != nil && !c.asked && s.core.HasOutput()
	if draws {
		c.asked = true
	}
	s.mu.Unlock()
	wake(told)
	switch {
	case !draws:
	case gather:
		go c.gather()
	default:
		c.nc.Draw(c)
	}
}

// drawSoon is what gathers.
func (c *conn) drawSoon() {
	runtime.Gosched()
	c.nc.Draw(c)
}

// Lend implements output.Lender.
func (c *conn) Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool) {
	s := c.s
	s.mu.Lock()
	if s.conn != c {
		c.asked = false
		s.mu.Unlock()
		return dst, data, false
	}
	dst, data, more = s.core.Lend(dst, data, most, c.nc.Moment())
	c.asked = more
	told := s.told
	s.told = nil
	s.mu.Unlock()
	wake(told)
	return dst, data, more
}

// AppendOutput implements output.Source. The output calls Lend.
func (c *conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	dst, data, more := c.Lend(dst, make([][]byte, 0, 4), most)
	for _, p := range data {
		dst = append(dst, p...)
	}
	return dst, more
}
