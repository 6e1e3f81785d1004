package http2

// next consumes received bytes up to the next event, and returns how many it consumed.
func (r *receiver) next(in []byte, ev *Event) (n int) {
	for r.err == nil {
		used, more := r.step(in[n:], ev)
		n += used
		if s := ev.Stream; s != nil && s.phase.released() && r.err == nil {
			r.discardEvent(ev, r.frame.open && r.frame.typ == FrameData && r.frame.id == s.id)
			more = true
		}
		if r.err == nil && (ev.Kind != EventNone || !more) {
			r.timeHead()
			break
		}
	}
	return n
}

// timeHead starts HeadTimeout for the frame or header block that is being received. It does not apply to DATA: how fast a
// body must arrive is up to the owner, which may be the side that is slow.
func (r *receiver) timeHead() {
	reading := r.frame.open && r.frame.typ != FrameData || r.block.id != 0
	if reading && r.headDue == 0 && r.cfg.HeadTimeout > 0 {
		r.headDue = r.now + r.cfg.HeadTimeout
	}
}

// step processes the next part of in, and reports whether there may be more to do.
func (r *receiver) step(in []byte, ev *Event) (n int, more bool) {
	switch {
	case r.frame.open:
		return r.payload(in, ev)
	case int(r.greeting.preface) < len(Preface):
		return r.readPreface(in)
	case len(in) < FrameHeaderLen:
		return 0, false
	}
	return r.beginFrame(in, ev)
}

func (r *receiver) readPreface(in []byte) (int, bool) {
	rest := Preface[r.greeting.preface:]
	n := min(len(rest), len(in))
	if string(in[:n]) != rest[:n] {
		r.fail(errPreface)
		return 0, false
	}
	r.greeting.preface += uint8(n)
	return n, n > 0
}

// beginFrame consumes a frame header, with the part of the payload that is needed in one piece.
func (r *receiver) beginFrame(in []byte, ev *Event) (int, bool) {
	h := ParseFrameHeader(in)
	if err := r.checkHeader(h); err != nil {
		r.fail(err)
		return 0, false
	}
	whole := FrameHeaderLen + int(wholePart(h))
	if len(in) < whole {
		return 0, false
	}
	r.greeting.settings = true
	r.frame = inFrame{open: true, typ: h.Type, flags: h.Flags, id: h.Stream}
	r.frame.left = h.Length - uint32(whole-FrameHeaderLen)
	r.dispatch(h, in[FrameHeaderLen:whole], ev)
	if r.frame.left == 0 && r.frame.pad == 0 && r.err == nil {
		r.endFrame(ev)
	}
	return whole, true
}

// checkHeader checks a frame header.
func (r *receiver) checkHeader(h FrameHeader) *Error {
	inBlock := r.block.id != 0
	switch {
	case !r.greeting.settings && (h.Type != FrameSettings || h.Flags&FlagAck != 0):
		return errFirst
	case inBlock && (h.Type != FrameContinuation || h.Stream != r.block.id):
		return errBlockBroken
	case h.Length > r.cfg.MaxFrameSize:
		return errFrameSize
	}
	return checkShape(h, inBlock)
}

func (r *receiver) dispatch(h FrameHeader, p []byte, ev *Event) {
	switch h.Type {
	case FrameData:
		r.beginData(h, p, ev)
	case FrameHeaders:
		r.beginHeaders(h, p, ev)
	case FrameContinuation:
		r.beginContinuation(h)
	case FramePriority:
		r.recvPriority(h, p, ev)
	case FrameRSTStream:
		r.recvReset(h, p, ev)
	case FrameSettings:
		r.beginSettings(h)
	case FramePing:
		r.recvPing(h, p, ev)
	case FrameGoAway:
		r.recvGoAway(p, ev)
	case FrameWindowUpdate:
		r.recvWindowUpdate(h, p, ev)
	case FramePriorityUpdate:
		r.recvPriorityUpdate(h, p, ev)
	default:
		r.charge(costUnknown)
	}
}

// payload processes what has arrived of the rest of a frame.
func (r *receiver) payload(in []byte, ev *Event) (n int, more bool) {
	if left := int(r.frame.left); left > 0 {
		n = min(left, len(in))
		switch r.frame.typ {
		case FrameData:
			r.recvData(in[:n], ev)
		case FrameHeaders, FrameContinuation:
			r.recvFragment(in[:n])
		case FrameSettings:
			n -= n % settingLen
			r.recvSettings(in[:n])
		}
		r.frame.left -= uint32(n)
	} else {
		n = min(int(r.frame.pad), len(in))
		r.frame.pad -= uint8(n)
	}
	if r.frame.left == 0 && r.frame.pad == 0 && r.err == nil {
		if r.frame.short && ev.Kind != EventNone {
			return n, true // ErrShort is the next event
		}
		r.endFrame(ev)
		return n, true
	}
	return n, n > 0
}

// endFrame processes the end of a frame.
func (r *receiver) endFrame(ev *Event) {
	r.frame.open = false
	switch r.frame.typ {
	case FrameData:
		if s := r.streams.live(r.frame.id); s != nil && r.frame.short {
			r.refuseStream(s, ErrShort, ev)
		}
	case FrameHeaders, FrameContinuation:
		if r.frame.flags&FlagEndHeaders != 0 {
			r.endBlock(ev)
		}
	case FrameSettings:
		r.endSettings(ev)
	}
	if r.block.id == 0 {
		r.headDue = 0
	}
}
