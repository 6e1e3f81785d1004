package http2

// receiveWindow is the connection's window for what the peer sends (RFC 9113 §6.9).
type receiveWindow struct {
	left  int32 // what the peer may send
	max   int32 // what left is brought back to
	spent int32 // consumed, and the peer not told yet
	epoch int64 // when the peer was last told
}

// Consumed tells that the owner is done with n bytes of a stream's Data. When half a window has been, the peer is told
// that it may send as much again, in AppendPending; windows grow here.
func (c *Conn) Consumed(s *Stream, n int, now int64) {
	k := int32(min(n, int(s.held)))
	if k <= 0 || c.err != nil {
		return
	}
	c.now = now
	s.held -= k
	c.budget.deliver(int(k))
	c.consumeStream(s, k)
	c.consumeConn(k)
}

// consumeConn gives bytes back to the connection's window.
func (c *Conn) consumeConn(n int32) {
	w := &c.recv
	w.spent += n
	if w.spent < w.max/2 || c.err != nil || n == 0 {
		return
	}
	grown := c.grow(w.max, int32(c.cfg.MaxConnWindow), w.spent, w.epoch)
	c.updateConn(grown)
}

// updateConn tells the peer of the connection's window, which is size from now on.
func (c *Conn) updateConn(size int32) {
	w := &c.recv
	grant := w.spent + size - w.max
	if grant <= 0 || !c.room(FrameHeaderLen+4) {
		return
	}
	c.out = appendWindowUpdate(c.out, 0, uint32(grant))
	w.left += grant
	w.max, w.spent, w.epoch = size, 0, c.now
}

// consumeStream gives bytes back to a stream's window, as long as the peer has something to send on it.
func (c *Conn) consumeStream(s *Stream, n int32) {
	s.spent += n
	if s.spent < s.recvMax/2 || !s.mayReceive() || c.err != nil {
		return
	}
	if s.body >= 0 && s.body <= int64(s.recvWin) {
		return // content-length says that the window is large enough
	}
	size := c.grow(s.recvMax, int32(c.cfg.MaxWindow), s.spent, s.epoch)
	if !c.room(FrameHeaderLen + 4) {
		return
	}
	grant := s.spent + size - s.recvMax
	c.out = appendWindowUpdate(c.out, s.id, uint32(grant))
	s.recvWin += grant
	if size > s.recvMax && size > c.recv.max/2 {
		// One stream is not to fill the connection's window, or all others would wait for its owner.
		c.updateConn(min(max(c.recv.max, size+size/2), int32(c.cfg.MaxConnWindow)))
	}
	s.recvMax, s.spent, s.epoch = size, 0, c.now
	c.measureRTT()
}

// grow returns the size of a window of which spent bytes were consumed since the peer was last told of it. A window that
// is used up within two round trips holds its sender back: it is doubled. In the end it is at least twice what is
// consumed in one round trip.
func (c *Conn) grow(size, most, spent int32, since int64) int32 {
	if c.rtt == 0 || size >= most {
		return size
	}
	if (c.now-since)/4 > int64(float64(c.rtt)*float64(spent)/float64(size)) {
		return size
	}
	return min(2*size, most)
}

// rttEvery is how often the round trip is measured while bytes come, in nanoseconds.
const rttEvery = 10 * second

// measureRTT sends a PING if the round trip was not measured for long.
func (c *Conn) measureRTT() {
	if c.rttSent != 0 || c.now < c.rttNext || c.state&connAcked == 0 || !c.room(FrameHeaderLen+8) {
		return
	}
	c.out = appendPing(c.out, 0, pingRTT)
	c.rttSent, c.rttNext = max(c.now, 1), c.now+rttEvery
}

// sampleRTT takes a measured round trip. Less is believed at once, more little by little: it may have been the owner
// that was slow to send or to read.
func (c *Conn) sampleRTT(d int64) {
	d = max(d, 1)
	if c.rtt == 0 || d < c.rtt {
		c.rtt = d
	} else {
		c.rtt += (d - c.rtt) / 8
	}
}

// RTT returns the round trip as it was measured, in nanoseconds, or 0.
func (c *Conn) RTT() int64 { return c.rtt }
