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
	if !c.foreseen(h) {
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

// foreseeLate tells that a stream was reset on which the peer may have sent n bytes of DATA already. On one that a client
// has given up a response may have begun besides: it is we who do not want it any more.
func (c *Conn) foreseeLate(n int32) {
	n = max(n, 0)
	if c.client {
		n += lateHead
	}
	c.lateData = min(c.lateData, int32(c.cfg.MaxConnWindow)) + n
}

// foreseen reports whether a late frame is one that was on its way: DATA, in frames of a size that a body has; to a client
// of any size, and heads.
func (c *Conn) foreseen(h FrameHeader) bool {
	n := int32(max(h.Length, lateLeast))
	if !c.client && (h.Type != FrameData || h.Length < lateFrame) || n > c.lateData {
		return false
	}
	c.lateData -= n
	return true
}

const (
	lateFrame = 1 << 10 // length from which on DATA that was on its way to a server is free
	lateHead  = 4 << 10 // bytes of frames besides DATA that are free with a stream of a client's
	lateLeast = 512     // what the smallest frame counts for
)

// opened reports whether a stream is not idle any more.
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
	*ev = Event{Kind: Refused, Code: err.Code, Err: err}
	if err == errTooMany {
		c.charge(costRefused)
		c.foreseeLate(int32(c.cfg.InitialWindow))
	} else {
		c.charge(costOwnReset)
	}
	if c.room(FrameHeaderLen + 4) {
		c.out = appendRST(c.out, id, err.Code)
	}
}
