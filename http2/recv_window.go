package http2

import "encoding/binary"

func (r *receiver) recvWindowUpdate(h FrameHeader, p []byte, ev *Event) {
	n := binary.BigEndian.Uint32(p) & maxWindow
	if h.Stream == 0 {
		r.chargeUpdate(&r.send.unreturned, n)
		r.growConnWindow(n, ev)
		return
	}
	s := r.streams.live(h.Stream)
	if s == nil {
		if r.checkOpened(h.Stream) {
			r.chargeUpdate(&r.debts.ended, n)
		}
		return
	}
	r.chargeUpdate(&s.send.unreturned, n)
	switch {
	case n == 0:
		r.refuseStream(s, errZeroUpdate, ev)
	case s.send.overflows(n):
		r.refuseStream(s, errWindowOverflow, ev)
	default:
		shut := s.send.left <= 0
		s.send.left += int32(n)
		r.sched.requeue(s)
		if shut && s.send.left > 0 {
			*ev = Event{Kind: EventWindow, Stream: s}
		}
	}
}

func (r *receiver) growConnWindow(n uint32, ev *Event) {
	switch {
	case n == 0:
		r.fail(errZeroUpdate)
	case r.send.overflows(n):
		r.fail(errWindowOverflow)
	default:
		if r.send.left <= 0 {
			*ev = Event{Kind: EventWindow}
		}
		r.send.left += int32(n)
	}
}
