package muxsession

// Ready reports whether there is a message in c's inbox.
func (c *Channel) Ready() bool { return c.in.inbox.messages > 0 }

// Next returns the length of the next message. There must be one.
func (c *Channel) Next() int {
	p, _, _, _ := c.in.inbox.next()
	return len(p)
}

// TakeInto copies the next message to buf, which is long enough, and takes it.
func (s *Session) TakeInto(c *Channel, buf []byte, now int64) int {
	p, cost, exempt, _ := c.in.inbox.next()
	n := len(p)
	if n > 0 && &p[0] != &buf[0] { // it was not put there already
		copy(buf, p)
	}
	c.in.inbox.drop(s.cfg.Memory, false)
	s.took(c, cost, exempt, now)
	return n
}

// Take takes the next message, whose memory is the caller's.
func (s *Session) Take(c *Channel, now int64) []byte {
	p, cost, exempt, alone := c.in.inbox.next()
	if !alone {
		b := s.cfg.Memory.Get(len(p))
		copy(b, p)
		p = b
	}
	c.in.inbox.drop(s.cfg.Memory, alone)
	s.took(c, cost, exempt, now)
	return p
}

// took gives the peer credit for a message that has been taken.
func (s *Session) took(c *Channel, cost, exempt int, now int64) {
	c.in.used -= cost
	s.window.used -= cost
	s.window.exempt -= exempt
	if !s.ended {
		s.regrantChannel(c, now)
	}
}

// dropInbox drops all that nobody has taken.
func (s *Session) dropInbox(c *Channel) {
	for c.Ready() {
		_, cost, exempt, _ := c.in.inbox.next()
		c.in.inbox.drop(s.cfg.Memory, false)
		c.in.used -= cost
		s.window.used -= cost
		s.window.exempt -= exempt
	}
}

// leastWanted is how long a buffer is at least into which messages are put while they come.
const leastWanted = 4 << 10

// Want says that somebody waits for a message of c with buf, which is the session's until Unwant: what comes next is put there
// while it comes. It does nothing where that is not possible.
func (s *Session) Want(c *Channel, buf []byte) {
	if in := &c.in; in.dst == nil && !in.got && !c.Ready() && !in.deaf && len(buf) >= leastWanted {
		in.dst = buf[:len(buf):len(buf)]
	}
}

// Unwant takes that back. What has been put into buf goes elsewhere, unless it is the next message and takes is true: then it
// is about to be taken into buf.
func (s *Session) Unwant(c *Channel, buf []byte, takes bool) {
	if len(buf) < leastWanted {
		return
	}
	in := &c.in
	same := func(p []byte) bool { return cap(p) > 0 && &p[:1][0] == &buf[0] }
	if same(in.dst) {
		in.dst = nil
	}
	if in.lent && same(in.part) {
		b := s.cfg.Memory.Get(max(len(in.part), 1))
		in.part, in.lent = b[:copy(b, in.part)], false
	}
	if takes || !c.Ready() {
		return
	}
	if g := &in.inbox.segs[in.inbox.first]; g.lent && same(g.b) {
		b := s.cfg.Memory.Get(max(len(g.b), 1))
		g.b, g.lent = b[:copy(b, g.b)], false
	}
}
