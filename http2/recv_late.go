package http2

// live returns the stream that a frame is for, or nil if it is idle or has ended.
func (c *Conn) live(id uint32) *Stream {
	if s := c.streams.find(id); s != nil && s.state != Closed && s.state != Idle {
		return s
	}
	return nil
}

// late judges a frame on a stream that is not there: one that was never opened, or that has ended (RFC 9113 §5.1).
func (c *Conn) late(h FrameHeader, ev *Event) {
	if !c.opened(h.Stream) {
		c.fail(errIdle)
		return
	}
	if !c.forgiven(h) {
		c.charge(costLate)
	}
	if h.Type != FrameData && h.Type != FrameHeaders {
		// RFC 9113 §5.1: WINDOW_UPDATE and RST_STREAM can cross what ended the stream.
		return
	}
	switch c.ended.get(h.Stream, c.newest()) {
	case endMessage:
		c.fail(errEnded)
	case endSkipped:
		// RFC 9113 §5.1.1: an unexpected identifier is a PROTOCOL_ERROR; other frames find a closed stream.
		if h.Type == FrameHeaders {
			c.fail(errIDSkipped)
			return
		}
		c.fail(errEnded)
	case endPeer:
		c.refuseID(h.Stream, errWasReset, ev)
	}
}

// forgive lets a server send, at no cost, what may be on its way on a stream of ours that we reset: the head of a response
// and as much DATA as the window allowed. It is we who do not want it any more.
func (c *Conn) forgive(s *Stream) {
	c.onTheWay = min(c.onTheWay, maxWindow) + lateHead + int64(max(s.recvWin, 0))
}

// forgiven tells whether a frame on a stream that has ended is one that forgive let through.
func (c *Conn) forgiven(h FrameHeader) bool {
	n := int64(max(h.Length, lateLeast))
	if !c.client || n > c.onTheWay {
		return false
	}
	c.onTheWay -= n
	return true
}

const (
	lateHead  = 4 << 10 // bytes of frames besides DATA that are forgiven with a stream
	lateLeast = 512     // what the smallest frame counts for
)

// opened tells whether a stream is not idle any more.
func (c *Conn) opened(id uint32) bool {
	if id&1 == 0 {
		return false // a server's streams begin with PUSH_PROMISE, which nobody allows
	}
	if c.client {
		return id < c.nextOwn && !(c.state&connOpening != 0 && id == c.nextOwn-2)
	}
	return id <= c.lastPeer
}

// newest returns the highest identifier of a request that was opened.
func (c *Conn) newest() uint32 {
	if c.client {
		return c.nextOwn - 2
	}
	return c.lastPeer
}

// refuseStream resets a stream for a broken rule of the peer's, and tells the owner (RFC 9113 §5.4.2).
func (c *Conn) refuseStream(s *Stream, err *Error, ev *Event) {
	if s.state == Closed {
		return
	}
	c.charge(costOwnReset)
	if !c.sendReset(s, err.Code) {
		return
	}
	*ev = Event{Kind: Reset, Stream: s, Code: err.Code, Err: err}
}

// refuseID resets the stream of a frame that says nothing about its state, or that the owner never learnt of.
func (c *Conn) refuseID(id uint32, err *Error, ev *Event) {
	if s := c.live(id); s != nil {
		c.refuseStream(s, err, ev)
		return
	}
	if !c.opened(id) {
		c.fail(err) // RFC 9113 §5.1: nothing may be sent on an idle stream
		return
	}
	if err == errTooMany {
		c.charge(costRefused)
	} else {
		c.charge(costOwnReset)
	}
	if c.room(FrameHeaderLen + 4) {
		c.out = appendRST(c.out, id, err.Code)
	}
}
