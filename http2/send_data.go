package http2

// appendDataHeader appends the header of one DATA frame of at most n bytes, and returns how many bytes of data must
// follow it: 0 if the windows let none through. endStream applies if all n bytes fit; ended reports that it did.
func (k *core) appendDataHeader(dst []byte, s *Stream, n int, endStream bool) (_ []byte, sent int, ended bool) {
	if k.err != nil || !s.phase.maySend() {
		return dst, 0, false
	}
	sent = min(max(min(n, int(s.send.left), int(k.send.left)), 0), int(k.peer.frameSize))
	ended = endStream && sent == n
	if sent == 0 && !ended {
		return dst, 0, false
	}
	h := FrameHeader{Length: uint32(sent), Type: FrameData, Stream: s.id}
	if ended {
		h.Flags = FlagEndStream
	}
	dst = h.Append(dst)
	k.sentData(s, sent, sent < n && sent < int(k.peer.frameSize))
	k.sched.rotate(s)
	if ended {
		k.endOutbound(s)
	}
	return dst, sent, ended
}
