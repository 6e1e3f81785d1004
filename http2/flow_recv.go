package http2

// receiveWindow is the connection's window for received data (RFC 9113 §6.9).
type receiveWindow struct {
	left      int32 // bytes that the peer may still send
	max       int32 // size of the window: left is brought back to this
	consumed  int32 // bytes consumed since the last WINDOW_UPDATE
	updatedAt int64 // time of the last WINDOW_UPDATE
}

// Consumed records that the owner has processed n bytes of the stream's Data. When half of a window has been consumed, a
// WINDOW_UPDATE waits in AppendPending; the window may be enlarged then.
func (c *Conn) Consumed(s *Stream, n int, now int64) {
	k := int32(min(n, int(s.unconsumed)))
	if k <= 0 || c.err != nil {
		return
	}
	c.now = now
	s.unconsumed -= k
	c.budget.Deliver(int(k))
	c.consumeStream(s, k)
	c.consumeConn(k)
}

// consumeConn gives n bytes back to the connection's window.
func (c *Conn) consumeConn(n int32) {
	w := &c.recv
	w.consumed += n
	if w.consumed < w.max/2 || c.err != nil || n == 0 {
		return
	}
	grown := c.grow(w.max, int32(c.cfg.MaxConnWindow), w.consumed, w.updatedAt)
	c.updateConn(grown)
}

// updateConn sends a WINDOW_UPDATE that makes the connection's window size bytes large.
func (c *Conn) updateConn(size int32) {
	w := &c.recv
	grant := w.consumed + size - w.max
	if grant <= 0 || !c.checkPending(FrameHeaderLen+4) {
		return
	}
	c.out = appendWindowUpdate(c.out, 0, uint32(grant))
	w.left += grant
	w.max, w.consumed, w.updatedAt = size, 0, c.now
}

// consumeStream gives n bytes back to a stream's window, unless the peer has nothing more to send on it.
func (c *Conn) consumeStream(s *Stream, n int32) {
	s.consumed += n
	if s.consumed < s.recvMax/2 || !s.mayReceive() || c.err != nil {
		return
	}
	if s.body >= 0 && s.body < int64(s.recvWin) {
		return // by content-length the rest of the body fits; a peer may hold back an END_STREAM without data if no room is left
	}
	size := c.grow(s.recvMax, int32(c.cfg.MaxWindow), s.consumed, s.updatedAt)
	if !c.checkPending(FrameHeaderLen + 4) {
		return
	}
	grant := s.consumed + size - s.recvMax
	c.out = appendWindowUpdate(c.out, s.id, uint32(grant))
	s.recvWin += grant
	if size > s.recvMax && size > c.recv.max/2 {
		// A single stream must not be able to fill the connection's window: all others would wait for its owner.
		c.updateConn(min(max(c.recv.max, size+size/2), int32(c.cfg.MaxConnWindow)))
	}
	s.recvMax, s.consumed, s.updatedAt = size, 0, c.now
	c.measureRTT()
}

// grow returns the new size of a window of which consumed bytes were consumed since the last WINDOW_UPDATE. A window that
// is used up within two round trips slows its sender down: it is doubled. In the end the window is at least twice what is
// consumed in one round trip.
func (c *Conn) grow(size, most, consumed int32, since int64) int32 {
	if c.rtt == 0 || size >= most {
		return size
	}
	if (c.now-since)/4 > int64(float64(c.rtt)*float64(consumed)/float64(size)) {
		return size
	}
	return min(2*size, most)
}

// rttEvery is how often the round trip is measured while data arrives, in nanoseconds.
const rttEvery = 10 * second

// measureRTT sends a PING if the round trip has not been measured for rttEvery.
func (c *Conn) measureRTT() {
	if c.rttSent != 0 || c.now < c.rttNext || c.state&connAcked == 0 || !c.checkPending(FrameHeaderLen+8) {
		return
	}
	c.out = appendPing(c.out, 0, pingRTT)
	c.rttSent, c.rttNext = max(c.now, 1), c.now+rttEvery
	c.rttQueued = true
}

// MeasuresRTT reports whether the round trip is being measured: the SETTINGS or the PING that measure it are unanswered, so
// the times passed to the methods of c should be exact.
func (c *Conn) MeasuresRTT() bool { return c.rttSent != 0 || c.state&connAcked == 0 }

// OutputSent tells c at which time the output of the last AppendPending is sent. If that was long after it was produced, a
// round trip would seem longer than it is. It may be left out.
func (c *Conn) OutputSent(now int64) {
	if c.rttQueued && c.rttSent != 0 {
		c.rttSent = max(now, 1)
	}
	c.rttQueued = false
}

// sampleRTT records a measured round trip. A shorter one is taken at once, a longer one only gradually: the owner may
// have been slow to send or to read.
func (c *Conn) sampleRTT(d int64) {
	d = max(d, 1)
	if c.rtt == 0 || d < c.rtt {
		c.rtt = d
	} else {
		c.rtt += (d - c.rtt) / 8
	}
}

// RTT returns the measured round trip in nanoseconds, 0 if there is none yet.
func (c *Conn) RTT() int64 { return c.rtt }
