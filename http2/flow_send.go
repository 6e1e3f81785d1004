package http2

// quota returns how many of n bytes both windows let through.
func (c *Conn) quota(s *Stream, n int) int {
	return max(min(n, int(s.sendWin), int(c.sendWin)), 0)
}

// sent subtracts n bytes from both windows. cut means that a window made the frame shorter.
func (c *Conn) sent(s *Stream, n int, cut bool) {
	s.sendWin -= int32(n)
	c.sendWin -= int32(n)
	s.unreturned.sent(int32(n), cut)
	c.debts.conn.sent(int32(n), cut)
	c.debts.noteFrame()
	c.budget.Deliver(n)
	if !cut {
		// No earnings for a frame that was cut: a peer could open its windows by a few bytes at a time.
		c.budget.Earn(earnFrame)
	}
	c.noteProgress(s, n)
}

// AppendData appends as much of p as the windows let through, in as many DATA frames as that takes, and returns how many
// bytes that was. endStream ends our message after the last byte of p; if p is empty, that needs no window. If the stream
// is marked ready, NextSender returns it when the rest can be sent.
func (c *Conn) AppendData(dst []byte, s *Stream, p []byte, endStream bool, now int64) ([]byte, int) {
	n := 0
	for {
		var k int
		var ended bool
		dst, k, ended = c.appendFrame(dst, s, len(p)-n, endStream, now)
		dst = append(dst, p[n:n+k]...)
		n += k
		if ended || k == 0 || n == len(p) {
			return dst, n
		}
	}
}

// AppendDataHeader appends only the header of one DATA frame of at most n bytes, for an owner that sends the bytes
// themselves right after it from elsewhere. It returns how many bytes the owner must send; 0 if the windows let none
// through. endStream applies if all n bytes fit.
func (c *Conn) AppendDataHeader(dst []byte, s *Stream, n int, endStream bool, now int64) ([]byte, int) {
	dst, k, _ := c.appendFrame(dst, s, n, endStream, now)
	return dst, k
}

func (c *Conn) appendFrame(dst []byte, s *Stream, n int, endStream bool, now int64) (_ []byte, k int, ended bool) {
	c.now = now
	dst = c.AppendPending(dst)
	if c.err != nil || !s.maySend() {
		return dst, 0, false
	}
	k = min(c.quota(s, n), int(c.peer.frameSize))
	ended = endStream && k == n
	if k == 0 && !ended {
		return dst, 0, false
	}
	h := FrameHeader{Length: uint32(k), Type: FrameData, Stream: s.id}
	if ended {
		h.Flags = FlagEndStream
	}
	dst = h.Append(dst)
	c.sent(s, k, k < n && k < int(c.peer.frameSize))
	c.rotate(s)
	if ended {
		c.endLocal(s)
	}
	return dst, k, ended
}
