package http2

// inFrame is the frame whose payload is arriving.
type inFrame struct {
	open   bool
	typ    FrameType
	flags  Flags
	pad    uint8 // bytes of padding behind left
	left   uint32
	id     uint32
	stream *Stream // of DATA: whose it is; nil if nobody's
	short  bool    // of DATA: the message ends with it, but is not as long as it was said to be
}

// Next takes bytes that have arrived, as far as the next event, and returns how many it took. Frames may be cut
// anywhere. With Kind None it has done what it could: the owner keeps the rest of in (at most 300 bytes), and calls
// again when more has come behind them.
//
// An error is the connection's (RFC 9113 §5.4.1) and always a *Error: nothing more is taken, a GOAWAY is the last of
// what is pending, and streams have no more events. What is not an error of the connection is told in a Reset event, or in
// one that is Refused if the owner does not know the stream.
func (c *Conn) Next(in []byte, now int64) (ev Event, n int, err error) {
	c.now = now
	c.unpark()
	if c.leftOut > 0 && c.err == nil && c.nextLeftOut(&ev) {
		return ev, 0, nil
	}
	for c.err == nil {
		used, more := c.step(in[n:], &ev)
		n += used
		if ev.Stream != nil && ev.Stream.has(flagLeft) && c.err == nil {
			c.passOver(&ev)
			more = true
		}
		if c.err == nil && (ev.Kind != None || !more) {
			c.timeHead()
			return ev, n, nil
		}
	}
	return Event{}, n, c.err
}

// timeHead begins the time that the peer has for what is being read. The body of a message has none here: how fast
// it must come is for the owner to say, who may be the one that is waited for.
func (c *Conn) timeHead() {
	reading := c.frame.open && c.frame.typ != FrameData || c.block.id != 0
	if reading && c.headDue == 0 && c.cfg.HeadTimeout > 0 {
		c.headDue = c.now + c.cfg.HeadTimeout
	}
}

// step does the next piece of work, and reports whether there may be more to do.
func (c *Conn) step(in []byte, ev *Event) (n int, more bool) {
	switch {
	case c.frame.open:
		return c.payload(in, ev)
	case int(c.seen) < len(Preface):
		return c.readPreface(in)
	case len(in) < FrameHeaderLen:
		return 0, false
	}
	return c.beginFrame(in, ev)
}

func (c *Conn) readPreface(in []byte) (int, bool) {
	rest := Preface[c.seen:]
	n := min(len(rest), len(in))
	if string(in[:n]) != rest[:n] {
		c.fail(errPreface)
		return 0, false
	}
	c.seen += uint8(n)
	return n, n > 0
}

// beginFrame takes a frame's header and what of its payload is needed in one piece.
func (c *Conn) beginFrame(in []byte, ev *Event) (int, bool) {
	h := ParseFrameHeader(in)
	if err := c.checkHeader(h); err != nil {
		c.fail(err)
		return 0, false
	}
	whole := FrameHeaderLen + int(wholePart(h))
	if len(in) < whole {
		return 0, false
	}
	c.state |= connStarted
	c.frame = inFrame{open: true, typ: h.Type, flags: h.Flags, id: h.Stream}
	c.frame.left = h.Length - uint32(whole-FrameHeaderLen)
	c.dispatch(h, in[FrameHeaderLen:whole], ev)
	if c.frame.left == 0 && c.frame.pad == 0 && c.err == nil {
		c.endFrame(ev)
	}
	return whole, true
}

// checkHeader refuses what a frame's header alone shows to be wrong.
func (c *Conn) checkHeader(h FrameHeader) *Error {
	inBlock := c.block.id != 0
	switch {
	case c.state&connStarted == 0 && (h.Type != FrameSettings || h.Flags&FlagAck != 0):
		return errFirst
	case inBlock && (h.Type != FrameContinuation || h.Stream != c.block.id):
		return errBlockBroken
	case h.Length > c.cfg.MaxFrameSize:
		return errFrameSize
	}
	return checkShape(h, inBlock)
}

// checkShape checks the stream and the length that a frame's type demands.
func checkShape(h FrameHeader, inBlock bool) *Error {
	needs := func(least, most uint32) *Error {
		if h.Length < least || h.Length > most {
			return errPayload
		}
		return nil
	}
	switch h.Type {
	case FrameData, FrameHeaders, FrameContinuation, FramePriority, FrameRSTStream, FramePushPromise:
		if h.Stream == 0 {
			return errStreamZero
		}
	case FrameSettings, FramePing, FrameGoAway, FramePriorityUpdate:
		if h.Stream != 0 {
			return errStreamSome
		}
	}
	switch h.Type {
	case FrameData, FrameHeaders:
		return needs(prelude(h), maxFrameSize)
	case FramePushPromise:
		return errPush
	case FrameContinuation:
		if !inBlock {
			return errContinuation
		}
	case FrameSettings:
		if h.Flags&FlagAck != 0 && h.Length != 0 {
			return errSettingsAck
		}
		if h.Length%settingLen != 0 {
			return errSettingsSize
		}
	case FrameRSTStream, FrameWindowUpdate, FramePriorityUpdate:
		if h.Type == FramePriorityUpdate {
			return needs(4, maxFrameSize)
		}
		return needs(4, 4)
	case FramePing:
		return needs(8, 8)
	case FrameGoAway:
		return needs(8, maxFrameSize)
	}
	return nil
}

// prelude returns how many bytes stand before the data or the fragment of a frame.
func prelude(h FrameHeader) uint32 {
	n := uint32(0)
	if h.Flags&FlagPadded != 0 {
		n++
	}
	if h.Type == FrameHeaders && h.Flags&FlagPriority != 0 {
		n += 5
	}
	return n
}

// longestWhole bounds what Next leaves to its caller, besides a frame's header.
const longestWhole = 256

// wholePart returns how many bytes of a frame's payload must be there at once. The others are taken as they come.
func wholePart(h FrameHeader) uint32 {
	switch h.Type {
	case FrameData, FrameHeaders:
		return prelude(h)
	case FrameRSTStream, FrameWindowUpdate, FramePing:
		return h.Length
	case FramePriority, FrameGoAway, FramePriorityUpdate:
		return min(h.Length, longestWhole)
	}
	return 0
}

func (c *Conn) dispatch(h FrameHeader, p []byte, ev *Event) {
	switch h.Type {
	case FrameData:
		c.beginData(h, p, ev)
	case FrameHeaders:
		c.beginHeaders(h, p, ev)
	case FrameContinuation:
		c.beginContinuation(h)
	case FramePriority:
		c.recvPriority(h, p, ev)
	case FrameRSTStream:
		c.recvReset(h, p, ev)
	case FrameSettings:
		c.beginSettings(h)
	case FramePing:
		c.recvPing(h, p, ev)
	case FrameGoAway:
		c.recvGoAway(p, ev)
	case FrameWindowUpdate:
		c.recvWindowUpdate(h, p, ev)
	case FramePriorityUpdate:
		c.recvPriorityUpdate(h, p, ev)
	default:
		c.charge(costUnknown)
	}
}

// payload takes what has arrived of the rest of a frame.
func (c *Conn) payload(in []byte, ev *Event) (n int, more bool) {
	if left := int(c.frame.left); left > 0 {
		n = min(left, len(in))
		switch c.frame.typ {
		case FrameData:
			c.recvData(in[:n], ev)
		case FrameHeaders, FrameContinuation:
			c.recvFragment(in[:n])
		case FrameSettings:
			n -= n % settingLen
			c.recvSettings(in[:n])
		}
		c.frame.left -= uint32(n)
	} else {
		n = min(int(c.frame.pad), len(in))
		c.frame.pad -= uint8(n)
	}
	if c.frame.left == 0 && c.frame.pad == 0 && c.err == nil {
		if c.frame.short && ev.Kind != None {
			return n, true // the refusal is the next event
		}
		c.endFrame(ev)
		return n, true
	}
	return n, n > 0
}

// endFrame does what a frame means that has arrived whole.
func (c *Conn) endFrame(ev *Event) {
	s := c.frame.stream
	c.frame.open, c.frame.stream = false, nil
	switch c.frame.typ {
	case FrameData:
		if s != nil && c.frame.short {
			c.refuseStream(s, ErrShort, ev)
		}
	case FrameHeaders, FrameContinuation:
		if c.frame.flags&FlagEndHeaders != 0 {
			c.endBlock(ev)
		}
	case FrameSettings:
		c.endSettings(ev)
	}
	if c.block.id == 0 {
		c.headDue = 0
	}
}
