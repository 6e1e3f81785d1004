package http2

// consumed gives n bytes of a stream, which its owner has processed, back to both windows.
func (k *core) consumed(s *Stream, n int32) {
	s.unconsumed -= n
	k.budget.Deliver(int(n))
	k.consumeStream(s, n)
	k.consumeConn(n)
}

// consumeConn gives n bytes back to the connection's window.
func (k *core) consumeConn(n int32) {
	w := &k.recv
	w.consumed += n
	if w.consumed < w.max/2 || k.err != nil || n == 0 {
		return
	}
	k.updateConn(w.grown(k.cfg.MaxConnWindow, k.rtt.rtt, k.now))
}

// updateConn sends a WINDOW_UPDATE that makes the connection's window size bytes large.
func (k *core) updateConn(size int32) {
	grant := k.recv.increment(size)
	if grant <= 0 || !k.reserve(FrameHeaderLen+4) {
		return
	}
	k.out = appendWindowUpdate(k.out, 0, uint32(grant))
	k.recv.update(size, k.now)
}

// consumeStream gives n bytes back to a stream's window, unless the peer has nothing more to send on it.
func (k *core) consumeStream(s *Stream, n int32) {
	w := &s.recv
	w.consumed += n
	if w.consumed < w.max/2 || !s.phase.mayReceive() || k.err != nil {
		return
	}
	if s.body >= 0 && s.body < int64(w.left) {
		return // by content-length the rest of the body fits; a peer may hold back an END_STREAM without data if no room is left
	}
	size := w.grown(k.cfg.MaxWindow, k.rtt.rtt, k.now)
	if !k.reserve(FrameHeaderLen + 4) {
		return
	}
	k.out = appendWindowUpdate(k.out, s.id, uint32(w.increment(size)))
	if size > w.max && size > k.recv.max/2 {
		// A single stream must not be able to fill the connection's window: all others would wait for its owner.
		k.updateConn(min(max(k.recv.max, size+size/2), int32(k.cfg.MaxConnWindow)))
	}
	w.update(size, k.now)
	k.measureRTT()
}

// measureRTT sends a PING if the round trip has not been measured for rttEvery.
func (k *core) measureRTT() {
	if k.own.acked && k.rtt.due(k.now) && k.reserve(FrameHeaderLen+8) {
		k.out = appendPing(k.out, 0, pingRTT)
		k.rtt.asked(k.now)
	}
}

// sentData records a DATA frame of n bytes. cut means that a window made it shorter.
func (k *core) sentData(s *Stream, n int, cut bool) {
	s.send.take(int32(n), cut)
	k.send.take(int32(n), cut)
	k.debts.noteFrame()
	k.budget.Deliver(n)
	if !cut {
		// No earnings for a frame that was cut: a peer could open its windows by a few bytes at a time.
		k.budget.Earn(earnFrame)
	}
	k.noteProgress(s, n)
}
