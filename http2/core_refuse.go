package http2

// refuseStream resets a stream because the peer broke a rule, and tells the owner (RFC 9113 §5.4.2).
func (k *core) refuseStream(s *Stream, err *Error, ev *Event) {
	if s.phase.closed() {
		return
	}
	k.charge(costOwnReset)
	if !k.sendReset(s, err.Code) {
		return
	}
	*ev = Event{Kind: EventReset, Stream: s, Code: err.Code, Err: err}
}

// refuseID is refuseStream for a stream that may have ended, or that the owner does not know.
func (k *core) refuseID(id uint32, err *Error, ev *Event) {
	if s := k.streams.live(id); s != nil {
		k.refuseStream(s, err, ev)
		return
	}
	if !k.streams.opened(id) {
		k.fail(err) // RFC 9113 §5.1: RST_STREAM must not be sent on an idle stream
		return
	}
	*ev = Event{Kind: EventRefused, Code: err.Code, Err: err}
	if err != errTooMany { // that was charged before
		k.charge(costOwnReset)
	}
	if k.reserve(FrameHeaderLen + 4) {
		k.out = appendRST(k.out, id, err.Code)
	}
}

// checkOpened ends the connection if the frame is on an idle stream (RFC 9113 §5.1), and reports whether it is not.
func (k *core) checkOpened(id uint32) bool {
	if !k.streams.opened(id) {
		k.fail(errIdle)
		return false
	}
	return true
}
