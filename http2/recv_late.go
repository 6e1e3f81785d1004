package http2

// live returns the stream with the identifier, nil if it is idle or has ended.
func (c *Conn) live(id uint32) *Stream {
	if s := c.streams.find(id); s != nil && s.state != Closed && s.state != Idle {
		return s
	}
	return nil
}

// recvLate handles a late frame: one on a stream that has ended, or that was never opened (RFC 9113 §5.1). A peer that
// breaks no rule can send late frames only until it learns that we have reset the stream.
func (c *Conn) recvLate(h FrameHeader, ev *Event) {
	if !c.opened(h.Stream) {
		c.fail(errIdle)
		return
	}
	if !c.takeLateAllowance(h) {
		c.charge(costLate)
	}
	if h.Type != FrameData && h.Type != FrameHeaders {
		// RFC 9113 §5.1: WINDOW_UPDATE and RST_STREAM may have been sent before the peer knew that the stream ended.
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

// allowLate lets n more bytes of late DATA pass without a charge, because we have reset a stream on which the peer may
// have sent as many. If we are the client, the server may also have sent a head.
func (c *Conn) allowLate(n int32) {
	n = max(n, 0)
	if c.client {
		n += lateHeadBytes
	}
	c.lateAllowance = min(c.lateAllowance, int32(c.cfg.MaxConnWindow)) + n
}

// takeLateAllowance reports whether a late frame is free of charge, and subtracts it from lateAllowance. On a server only
// DATA of minFreeLateData bytes or more is free: bodies are sent in frames of that size. On a client any frame is.
func (c *Conn) takeLateAllowance(h FrameHeader) bool {
	n := int32(max(h.Length, minLateBytes))
	if !c.client && (h.Type != FrameData || h.Length < minFreeLateData) || n > c.lateAllowance {
		return false
	}
	c.lateAllowance -= n
	return true
}

const (
	minFreeLateData = 1 << 10 // the shortest late DATA frame that is free on a server, in bytes
	lateHeadBytes   = 4 << 10 // bytes of late frames other than DATA that a client allows for each stream it resets
	minLateBytes    = 512     // bytes that a shorter frame counts for
)

// opened reports whether a stream is not idle.
func (c *Conn) opened(id uint32) bool {
	if id&1 == 0 {
		return false // the peer would open such streams with PUSH_PROMISE, which is not allowed
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

// refuseStream resets a stream because the peer broke a rule, and tells the owner (RFC 9113 §5.4.2).
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

// refuseID is refuseStream for a stream that may have ended, or that the owner does not know.
func (c *Conn) refuseID(id uint32, err *Error, ev *Event) {
	if s := c.live(id); s != nil {
		c.refuseStream(s, err, ev)
		return
	}
	if !c.opened(id) {
		c.fail(err) // RFC 9113 §5.1: RST_STREAM must not be sent on an idle stream
		return
	}
	*ev = Event{Kind: Refused, Code: err.Code, Err: err}
	if err == errTooMany {
		c.charge(costRefused)
		c.allowLate(int32(c.cfg.InitialWindow))
	} else {
		c.charge(costOwnReset)
	}
	if c.checkPending(FrameHeaderLen + 4) {
		c.out = appendRST(c.out, id, err.Code)
	}
}
