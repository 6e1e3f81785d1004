package http2

// stallMinBytes is how many bytes a ready stream must send within Config.StallTimeout.
const stallMinBytes = 4 << 10

// armStall starts the StallTimeout of a ready stream.
func (k *core) armStall(s *Stream) {
	if k.cfg.StallTimeout < 0 || s.stall.off {
		return
	}
	s.stall.at, s.stall.sent = k.now+k.cfg.StallTimeout, 0
	if k.stallDue == 0 {
		k.stallDue = s.stall.at
	}
}

// noteProgress records that a stream has sent n bytes.
func (k *core) noteProgress(s *Stream, n int) {
	if s.stall.sent += int32(n); s.stall.sent >= stallMinBytes && s.turn != turnNone {
		k.armStall(s)
	}
}

// resetStalled resets one stream that has waited too long. If there is none, it sets stallDue to the time of the next
// one.
func (k *core) resetStalled(ev *Event) {
	next := int64(0)
	var stalled *Stream
	k.streams.each(func(s *Stream) bool {
		if s.turn == turnNone || s.stall.off {
			return true
		}
		if s.stall.at <= k.now {
			if !s.turn.queued() || k.send.left <= 0 {
				stalled = s
				return false
			}
			k.armStall(s) // it has a window: its owner is slow, not the peer
		}
		if next == 0 || s.stall.at < next {
			next = s.stall.at
		}
		return true
	})
	if stalled == nil {
		k.stallDue = next
		return
	}
	k.charge(costStalled)
	if k.err == nil && k.sendReset(stalled, errStalled.Code) {
		*ev = Event{Kind: EventReset, Stream: stalled, Code: errStalled.Code, Err: errStalled}
	}
}
