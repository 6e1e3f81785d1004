package http2

import "encoding/binary"

func (r *receiver) recvPing(h FrameHeader, p []byte, ev *Event) {
	opaque := binary.BigEndian.Uint64(p)
	switch {
	case h.Flags&FlagAck == 0:
		r.charge(costPing)
		if r.reserve(FrameHeaderLen + 8) {
			r.out = appendPing(r.out, FlagAck, opaque)
		}
	case opaque == pingRTT && r.rtt.answered(r.now):
	case opaque == pingDrain && r.bye.due != 0:
		r.nameLast()
	case opaque == pingProof && r.debts.asked:
		r.debts.proven()
	case opaque&ownPing == 0 && r.pings > 0:
		r.pings--
		*ev = Event{Kind: EventPong, Opaque: opaque}
	default:
		r.charge(costPing) // answers no PING of ours
	}
}

// recvPriority checks a PRIORITY frame and otherwise ignores it (RFC 9113 §5.3.2).
func (r *receiver) recvPriority(h FrameHeader, p []byte, ev *Event) {
	r.charge(costPriority)
	if len(p) != 5 || h.Length != 5 {
		r.refuseID(h.Stream, errPriority, ev)
		return
	}
	if binary.BigEndian.Uint32(p)&maxStreamID == h.Stream {
		r.refuseID(h.Stream, errSelf, ev)
	}
}

func (r *receiver) recvReset(h FrameHeader, p []byte, ev *Event) {
	s := r.streams.live(h.Stream)
	if s == nil {
		if r.checkOpened(h.Stream) && !r.debts.takeReply() {
			r.charge(costLate)
		}
		return
	}
	r.close(s, r.chargeCancel(s), endPeer)
	*ev = Event{Kind: EventReset, Stream: s, Code: ErrCode(binary.BigEndian.Uint32(p))}
}

// recvGoAway handles the peer's GOAWAY (RFC 9113 §6.8). Our streams above its last stream were not processed.
func (r *receiver) recvGoAway(p []byte, ev *Event) {
	r.charge(costGoAway)
	last := binary.BigEndian.Uint32(p) & maxStreamID
	*ev = Event{Kind: EventGoAway, LastStream: last, Code: ErrCode(binary.BigEndian.Uint32(p[4:])), Data: p[8:]}
	r.bye.peerGone = true
	r.bye.peerLast = min(r.bye.peerLast, last) // RFC 9113 §6.8: it must not grow
	if r.client {
		r.excludeAbove(r.bye.peerLast)
	}
}
