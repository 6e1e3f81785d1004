package http2

// beginData takes the header of a DATA frame. All of the frame counts for flow control, padding too (RFC 9113 §6.1), and
// on streams that have ended as well (RFC 9113 §5.1).
func (c *Conn) beginData(h FrameHeader, p []byte, ev *Event) {
	left := c.frame.left
	if h.Flags&FlagPadded != 0 {
		if uint32(p[0]) > left {
			c.fail(errPadding)
			return
		}
		c.frame.pad = p[0]
		left -= uint32(p[0])
		c.frame.left = left
	}
	if h.Length > uint32(max(c.recv.left, 0)) {
		c.fail(errWindow)
		return
	}
	c.recv.left -= int32(h.Length)
	s := c.live(h.Stream)
	if s == nil {
		c.late(h, ev)
		c.consumeConn(int32(h.Length - left)) // what is left is given back as it arrives
		return
	}
	if err := s.admitData(h, left, c.client); err != nil {
		c.refuseStream(s, err, ev)
		c.consumeConn(int32(h.Length - left))
		return
	}
	s.recvWin -= int32(h.Length)
	c.frame.stream = s
	c.frame.short = h.Flags&FlagEndStream != 0 && s.body > 0
	if overhead := int32(h.Length - left); overhead > 0 {
		c.consumeConn(overhead)
		c.consumeStream(s, overhead)
	}
	if left > 0 {
		if h.Flags&FlagEndStream == 0 && uint32(c.frame.pad) > left {
			c.charge(costPadding)
		}
		return
	}
	if h.Flags&FlagEndStream == 0 {
		c.charge(costEmptyData)
		return
	}
	c.frame.stream = nil
	*ev = Event{Kind: Data, Stream: s, EndStream: true}
	c.endRemote(s)
}

// admitData checks whether a DATA frame with n bytes may come on the stream now. Where a response ends too early its last
// bytes may come: a client can use what there is. The stream is refused behind them.
func (s *Stream) admitData(h FrameHeader, n uint32, client bool) *Error {
	switch {
	case !s.mayReceive():
		return errHalfClosed
	case !s.has(flagGotHead):
		return errHeadless
	case h.Length > uint32(max(s.recvWin, 0)):
		return errWindow
	case s.body < 0:
		return nil
	case int64(n) > s.body:
		return errLengthOff
	case h.Flags&FlagEndStream != 0 && int64(n) < s.body && (n == 0 || !client):
		return ErrShort
	}
	s.body -= int64(n)
	return nil
}

// recvData hands out what has arrived of a DATA frame.
func (c *Conn) recvData(p []byte, ev *Event) {
	s, n := c.frame.stream, int32(len(p))
	if s == nil {
		c.consumeConn(n)
		return
	}
	if n == 0 {
		return
	}
	s.held += n
	*ev = Event{Kind: Data, Stream: s, Data: p}
	if int(c.frame.left) == len(p) && c.frame.flags&FlagEndStream != 0 && !c.frame.short {
		ev.EndStream = true
		c.frame.stream = nil
		c.endRemote(s)
	}
}
