package muxsession

// Ready reports whether there is a message in c's inbox.
func (c *Channel) Ready() bool { return c.in.inbox.messages > 0 }

// Next returns the length of the next message. There must be one.
func (c *Channel) Next() int {
	p, _, _, _ := c.in.inbox.next()
	return len(p)
}

// TakeInto takes the next message and copies it to buf, which must be long enough.
func (s *Session) TakeInto(c *Channel, buf []byte, now int64) int {
	p, cost, exempt, _ := c.in.inbox.next()
	n := len(p)
	if n > 0 && &p[0] != &buf[0] { // else it was received into buf
		copy(buf, p)
	}
	c.in.inbox.drop(s.cfg.Memory, false)
	s.took(c, cost, exempt, now)
	return n
}

// Take takes the next message. The caller owns its memory.
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

// took removes the cost of a message that was taken from the windows, and gives the peer credit.
func (s *Session) took(c *Channel, cost, exempt int, now int64) {
	c.in.used -= cost
	s.uncount(&c.in, cost)
	s.window.exempt -= exempt
	if c.in.midMessage {
		s.sortPartial(c)
	}
	if !s.ended {
		s.creditChannel(c, now)
	}
}

// dropInbox drops all messages in the inbox.
func (s *Session) dropInbox(c *Channel) {
	for c.Ready() {
		_, cost, exempt, _ := c.in.inbox.next()
		c.in.inbox.drop(s.cfg.Memory, false)
		c.in.used -= cost
		s.uncount(&c.in, cost)
		s.window.exempt -= exempt
	}
}

// minReaderBuf is the smallest reader's buffer into which messages are received directly.
const minReaderBuf = 4 << 10

// OfferBuffer offers buf, the buffer of a reader that waits for a message of c. The session may receive the next message
// directly into it, and owns it until WithdrawBuffer.
func (s *Session) OfferBuffer(c *Channel, buf []byte) {
	if in := &c.in; in.readerBuf == nil && !in.midMessage && !c.Ready() && !in.stopped && len(buf) >= minReaderBuf {
		in.readerBuf = buf[:len(buf):len(buf)]
	}
}

// WithdrawBuffer ends the session's use of buf. Bytes received into it are moved elsewhere, unless they are the next message
// and takes is true: then the caller takes that message into buf next.
func (s *Session) WithdrawBuffer(c *Channel, buf []byte, takes bool) {
	if len(buf) < minReaderBuf {
		return
	}
	in := &c.in
	same := func(p []byte) bool { return cap(p) > 0 && &p[:1][0] == &buf[0] }
	if same(in.readerBuf) {
		in.readerBuf = nil
	}
	if in.inReaderBuf && same(in.partial) {
		b := s.cfg.Memory.Get(max(len(in.partial), 1))
		in.partial, in.inReaderBuf = b[:copy(b, in.partial)], false
	}
	if takes || !c.Ready() {
		return
	}
	if g := &in.inbox.segs[in.inbox.first]; g.readerOwned && same(g.b) {
		b := s.cfg.Memory.Get(max(len(g.b), 1))
		g.b, g.readerOwned = b[:copy(b, g.b)], false
	}
}
