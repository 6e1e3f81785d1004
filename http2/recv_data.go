package http2

// beginData processes the header of a DATA frame. The whole frame counts for flow control, including padding (RFC 9113
// §6.1), also on streams that have ended (RFC 9113 §5.1).
func (c *Conn) beginData(h FrameHeader, p []byte, ev *Event) {
	c.messages++
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
		c.recvLate(h, ev)
		c.consumeConn(int32(h.Length - left)) // the data itself is given back in recvData
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
	*ev = Event{Kind: EventData, Stream: s, EndStream: true}
	c.endRemote(s)
}

// admitData checks whether a DATA frame with n bytes of data is allowed on the stream now. The last bytes of a response
// that is too short are allowed, because a client may be able to use them; the stream is reset after them.
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

// recvData hands out the data of a DATA frame as it arrives.
func (c *Conn) recvData(p []byte, ev *Event) {
	s, n := c.frame.stream, int32(len(p))
	if s == nil {
		c.consumeConn(n)
		return
	}
	if n == 0 {
		return
	}
	s.unconsumed += n
	*ev = Event{Kind: EventData, Stream: s, Data: p}
	if int(c.frame.left) == len(p) && c.frame.flags&FlagEndStream != 0 && !c.frame.short {
		ev.EndStream = true
		c.frame.stream = nil
		c.endRemote(s)
	}
}
