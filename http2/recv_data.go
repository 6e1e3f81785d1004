package http2

// beginData processes the header of a DATA frame. The whole frame counts for flow control, including padding (RFC 9113
// §6.1), also on streams that have ended (RFC 9113 §5.1).
func (r *receiver) beginData(h FrameHeader, p []byte, ev *Event) {
	left := r.frame.left
	if h.Flags&FlagPadded != 0 {
		if uint32(p[0]) > left {
			r.fail(errPadding)
			return
		}
		r.frame.pad = p[0]
		left -= uint32(p[0])
		r.frame.left = left
	}
	if h.Length > uint32(max(r.recv.left, 0)) {
		r.fail(errWindow)
		return
	}
	r.recv.left -= int32(h.Length)
	s := r.streams.live(h.Stream)
	if s == nil {
		r.recvLate(h, ev)
		r.consumeConn(int32(h.Length - left)) // the data itself is given back in recvData
		return
	}
	if err := s.admitData(h, left, r.client); err != nil {
		r.refuseStream(s, err, ev)
		r.consumeConn(int32(h.Length - left))
		return
	}
	s.recv.left -= int32(h.Length)
	r.frame.short = h.Flags&FlagEndStream != 0 && s.body > 0
	if overhead := int32(h.Length - left); overhead > 0 {
		r.consumeConn(overhead)
		r.consumeStream(s, overhead)
	}
	if left > 0 {
		if h.Flags&FlagEndStream == 0 && uint32(r.frame.pad) > left {
			r.charge(costPadding)
		}
		return
	}
	if h.Flags&FlagEndStream == 0 {
		r.charge(costEmptyData)
		return
	}
	*ev = Event{Kind: EventData, Stream: s, EndStream: true}
	r.endInbound(s)
}

// admitData checks whether a DATA frame with n bytes of data is allowed on the stream now. The last bytes of a response
// that is too short are allowed, because a client may be able to use them; the stream is reset after them.
func (s *Stream) admitData(h FrameHeader, n uint32, client bool) *Error {
	switch {
	case !s.phase.mayReceive():
		return errHalfClosed
	case s.inbound == awaitsHead:
		return errHeadless
	case h.Length > uint32(max(s.recv.left, 0)):
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
func (r *receiver) recvData(p []byte, ev *Event) {
	s, n := r.streams.live(r.frame.id), int32(len(p))
	if s == nil {
		r.consumeConn(n)
		return
	}
	if n == 0 {
		return
	}
	s.unconsumed += n
	*ev = Event{Kind: EventData, Stream: s, Data: p}
	if int(r.frame.left) == len(p) && r.frame.flags&FlagEndStream != 0 && !r.frame.short {
		ev.EndStream = true
		r.endInbound(s)
	}
}
