package http2

// recvLate handles late DATA or HEADERS: on a stream that has ended, or that was never opened (RFC 9113 §5.1). A peer that
// breaks no rule can send them only until it learns that we have reset the stream. WINDOW_UPDATE and RST_STREAM may always
// be late: both sides may have ended the stream at the same time.
func (k *core) recvLate(h FrameHeader, ev *Event) {
	if !k.checkOpened(h.Stream) {
		return
	}
	k.chargeLate(h)
	switch k.ended.get(h.Stream, k.streams.newest()) {
	case endMessage:
		k.fail(errEnded)
	case endSkipped:
		// RFC 9113 §5.1.1: an unexpected identifier is a PROTOCOL_ERROR; other frames find a closed stream.
		if h.Type == FrameHeaders {
			k.fail(errIDSkipped)
			return
		}
		k.fail(errEnded)
	case endPeer:
		k.refuseID(h.Stream, errWasReset, ev)
	}
}

const (
	leastLate       = 8       // bytes that a shorter late DATA frame counts for
	lateBlockBytes  = 4 << 10 // what the header sections of a stream may count for; each counts for an eighth at least
	lateBlockFrames = 256
	manyLate        = 64 // late frames before we ask whether the peer knows
)

// allowLate lets the peer send as much on a stream that we have reset as it may have sent before it knew: n bytes of DATA
// in frames of any size, and a header section.
func (k *core) allowLate(n int32) {
	n = max(n, 0)
	k.debts.lateBytes.add(n+lateBlockBytes, int32(k.cfg.MaxConnWindow)+lateBlockBytes)
	k.debts.lateFrames.add(n/leastLate+lateBlockFrames, maxLateFrames)
}

// chargeLate charges for late DATA or HEADERS, unless the peer may have sent it before it knew that we have reset the stream.
func (k *core) chargeLate(h FrameHeader) {
	d := &k.debts
	bytes, frames := max(int32(h.Length), leastLate), int32(1)
	if h.Type == FrameHeaders {
		bytes, frames = max(bytes, lateBlockBytes/8), lateBlockFrames/8
	}
	switch {
	case bytes <= d.lateBytes.total() && frames <= d.lateFrames.total():
		d.lateBytes.take(bytes)
		d.lateFrames.take(frames)
		if d.lateTaken += frames; d.lateTaken >= manyLate {
			k.askProof()
		}
		if h.Type == FrameData && h.Length == 0 && h.Flags&FlagEndStream == 0 {
			k.charge(costEmptyData)
		}
	case h.Type == FrameHeaders:
		k.charge(costLate + costLateBlock)
	default:
		k.charge(costLate)
	}
}
