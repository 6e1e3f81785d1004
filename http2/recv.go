package http2

// inFrame is the frame whose payload is being received.
type inFrame struct {
	open   bool
	typ    FrameType
	flags  Flags
	pad    uint8 // bytes of padding after left
	left   uint32
	id     uint32
	stream *Stream // of DATA: its stream; nil if the data is ignored
	short  bool    // of DATA: the message ends with it, but is shorter than its content-length
}

// Next consumes received bytes up to the next event, and returns how many it consumed. Frames may be cut anywhere. If
// Kind is EventNone, it needs more bytes: the owner keeps the rest of in (at most 300 bytes) and calls again when more have
// arrived after it.
//
// An error ends the connection (RFC 9113 §5.4.1) and is always an *Error: nothing more is consumed, the pending frames
// end with GOAWAY, and streams have no more events. Errors that end only a stream are EventReset, or EventRefused if
// the owner does not know the stream.
func (c *Conn) Next(in []byte, now int64) (ev Event, n int, err error) {
	c.now = now
	c.ensureWorkspace()
	if c.unprocessed > 0 && c.err == nil && c.nextUnprocessed(&ev) {
		return ev, 0, nil
	}
	for c.err == nil {
		used, more := c.step(in[n:], &ev)
		n += used
		if ev.Stream != nil && ev.Stream.has(flagDiscard) && c.err == nil {
			c.discardEvent(&ev)
			more = true
		}
		if c.err == nil && (ev.Kind != EventNone || !more) {
			c.timeHead()
			return ev, n, nil
		}
	}
	return Event{}, n, c.err
}

// timeHead starts HeadTimeout for the frame or header block that is being received. It does not apply to DATA: how fast a
// body must arrive is up to the owner, which may be the side that is slow.
func (c *Conn) timeHead() {
	reading := c.frame.open && c.frame.typ != FrameData || c.block.id != 0
	if reading && c.headDue == 0 && c.cfg.HeadTimeout > 0 {
		c.headDue = c.now + c.cfg.HeadTimeout
	}
}

// step processes the next part of in, and reports whether there may be more to do.
func (c *Conn) step(in []byte, ev *Event) (n int, more bool) {
	switch {
	case c.frame.open:
		return c.payload(in, ev)
	case int(c.prefaceRead) < len(Preface):
		return c.readPreface(in)
	case len(in) < FrameHeaderLen:
		return 0, false
	}
	return c.beginFrame(in, ev)
}

func (c *Conn) readPreface(in []byte) (int, bool) {
	rest := Preface[c.prefaceRead:]
	n := min(len(rest), len(in))
	if string(in[:n]) != rest[:n] {
		c.fail(errPreface)
		return 0, false
	}
	c.prefaceRead += uint8(n)
	return n, n > 0
}

// beginFrame consumes a frame header, with the part of the payload that is needed in one piece.
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

// checkHeader checks a frame header.
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

// checkShape checks that the stream and the length of a frame suit its type.
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

// prelude returns how many bytes of the payload come before the data or the header block fragment.
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

// longestWhole bounds the part of a payload that must be there at once, and so the bytes that Next leaves to its caller.
const longestWhole = 256

// wholePart returns how many bytes of a frame's payload must be there at once. The rest is processed as it arrives.
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

// payload processes what has arrived of the rest of a frame.
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
		if c.frame.short && ev.Kind != EventNone {
			return n, true // ErrShort is the next event
		}
		c.endFrame(ev)
		return n, true
	}
	return n, n > 0
}

// endFrame processes the end of a frame.
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
