package muxsession

// TakeInto takes the next message and copies it to buf, which must be long enough.
func (i *inflow) TakeInto(c *Channel, buf []byte) int {
	p, cost, exempt, _ := c.in.inbox.next()
	n := len(p)
	if n > 0 && &p[0] != &buf[0] { // else it was received into buf
		copy(buf, p)
	}
	c.in.inbox.drop(i.cfg.Memory, false)
	i.took(c, cost, exempt)
	return n
}

// Take takes the next message. The caller owns its memory.
func (i *inflow) Take(c *Channel) []byte {
	p, cost, exempt, alone := c.in.inbox.next()
	if !alone {
		b := i.cfg.Memory.Get(len(p))
		copy(b, p)
		p = b
	}
	c.in.inbox.drop(i.cfg.Memory, alone)
	i.took(c, cost, exempt)
	return p
}

// took removes the cost of a message that was taken from the windows, and gives the peer credit.
func (i *inflow) took(c *Channel, cost, exempt int) {
	c.in.used -= cost
	i.uncount(&c.in, cost, exempt)
	if c.in.partial.arriving() {
		i.sort(c)
	}
	if !i.Ended() {
		i.creditChannel(c)
	}
}

// Discard drops the messages in the inbox of a channel that is over.
func (i *inflow) Discard(c *Channel) {
	i.dropInbox(c)
	if !i.Ended() {
		i.creditSession()
	}
}

// dropInbox drops all messages in the inbox.
func (i *inflow) dropInbox(c *Channel) {
	for c.Ready() {
		_, cost, exempt, _ := c.in.inbox.next()
		c.in.inbox.drop(i.cfg.Memory, false)
		c.in.used -= cost
		i.uncount(&c.in, cost, exempt)
	}
}

// Await records whether a reader waits for a message of c.
func (i *inflow) Await(c *Channel, waits bool) {
	if c.in.awaited == waits {
		return
	}
	if c.in.awaited = waits; !c.in.partial.arriving() {
		return
	}
	if i.sort(c); waits {
		i.creditSession()
	}
}

// OfferBuffer offers buf, the buffer of a reader that waits for a message of c. The session may receive the next message
// directly into it, and owns it until WithdrawBuffer.
func (i *inflow) OfferBuffer(c *Channel, buf []byte) {
	in := &c.in
	if in.readerBuf == nil && !in.partial.arriving() && !c.Ready() && !c.state.stopped && len(buf) >= minReaderBuf {
		in.readerBuf = buf[:len(buf):len(buf)]
	}
}

// WithdrawBuffer ends the session's use of buf. Bytes received into it are moved elsewhere, unless they are the next message
// and takes is true: then the caller takes that message into buf next.
func (i *inflow) WithdrawBuffer(c *Channel, buf []byte, takes bool) {
	if len(buf) >= minReaderBuf {
		c.in.withdraw(i.cfg.Memory, buf, takes)
	}
}
