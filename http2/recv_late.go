package http2

// live returns the stream with the identifier, nil if it is idle or has ended.
func (c *Conn) live(id uint32) *Stream {
	if s := c.streams.find(id); s != nil && s.state != StateClosed && s.state != StateIdle {
		return s
	}
	return nil
}

// checkOpened ends the connection if the frame is on an idle stream (RFC 9113 §5.1), and reports whether it is not.
func (c *Conn) checkOpened(h FrameHeader) bool {
	if !c.opened(h.Stream) {
		c.fail(errIdle)
		return false
	}
	return true
}

// recvLate handles late DATA or HEADERS: on a stream that has ended, or that was never opened (RFC 9113 §5.1). A peer that
// breaks no rule can send them only until it learns that we have reset the stream. WINDOW_UPDATE and RST_STREAM may always
// be late: both sides may have ended the stream at the same time.
func (c *Conn) recvLate(h FrameHeader, ev *Event) {
	if !c.checkOpened(h) {
		return
	}
	c.chargeLate(h)
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

// allowLate lets the peer send as much on a stream that we have reset as it may have sent before it knew: n bytes of DATA
// in frames of any size, and a header section.
func (c *Conn) allowLate(n int32) {
	n = max(n, 0)
	c.debts.lateBytes.add(n+lateBlockBytes, int32(c.cfg.MaxConnWindow)+lateBlockBytes)
	c.debts.lateFrames.add(n/leastLate+lateBlockFrames, maxLateFrames)
}

// allowBody is allowLate for a request that is refused when its head arrives.
func (c *Conn) allowBody() {
	if !c.block.end {
		c.allowLate(int32(c.cfg.InitialWindow))
	}
}

// chargeLate charges for late DATA or HEADERS, unless the peer may have sent it before it knew that we have reset the stream.
func (c *Conn) chargeLate(h FrameHeader) {
	d := &c.debts
	bytes, frames := max(int32(h.Length), leastLate), int32(1)
	if h.Type == FrameHeaders {
		bytes, frames = max(bytes, lateBlockBytes/8), lateBlockFrames/8
	}
	switch {
	case bytes <= d.lateBytes.total() && frames <= d.lateFrames.total():
		d.lateBytes.take(bytes)
		d.lateFrames.take(frames)
		if d.lateTaken += frames; d.lateTaken >= manyLate {
			c.askProof()
		}
		if h.Type == FrameData && h.Length == 0 && h.Flags&FlagEndStream == 0 {
			c.charge(costEmptyData)
		}
	case h.Type == FrameHeaders:
		c.charge(costLate + costLateBlock)
	default:
		c.charge(costLate)
	}
}

const (
	leastLate       = 8       // bytes that a shorter late DATA frame counts for
	lateBlockBytes  = 4 << 10 // what the header sections of a stream may count for; each counts for an eighth at least
	lateBlockFrames = 256
	manyLate        = 64 // late frames before we ask whether the peer knows
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
	if s.state == StateClosed {
		return
	}
	c.charge(costOwnReset)
	if !c.sendReset(s, err.Code) {
		return
	}
	*ev = Event{Kind: EventReset, Stream: s, Code: err.Code, Err: err}
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
	*ev = Event{Kind: EventRefused, Code: err.Code, Err: err}
	if err != errTooMany { // that was charged before
		c.charge(costOwnReset)
	}
	if c.checkPending(FrameHeaderLen + 4) {
		c.out = appendRST(c.out, id, err.Code)
	}
}
