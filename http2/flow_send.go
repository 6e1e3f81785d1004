package http2

// quota returns how many of n bytes both windows let through.
func (c *Conn) quota(s *Stream, n int) int {
	return max(min(n, int(s.sendWin), int(c.sendWin)), 0)
}

// sent takes n bytes from both windows. cut tells that there was more to send.
func (c *Conn) sent(s *Stream, n int, cut bool) {
	s.sendWin -= int32(n)
	c.sendWin -= int32(n)
	c.budget.deliver(n)
	if !cut {
		// A peer that opens windows of a few bytes each has every frame cut, and earns nothing by it.
		c.budget.earn(earnFrame)
	}
	c.progress(s, n)
}

// AppendData appends as much of p as the windows let through now, in as many DATA frames as it takes, and returns how
// much that was. endStream ends our message with the last byte of p; if p is empty no window is needed for that. The
// rest waits for NextSender if the stream is marked ready.
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

// AppendDataHeader appends only the header of one DATA frame with at most n bytes, for an owner that sends the bytes
// from elsewhere right behind it, and returns how many they must be; 0 if the windows let none through. endStream holds
// if all n fit.
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
