package http2

// openStream adds a stream that has just been opened. The connection must have its workspace.
func (k *core) openStream(id uint32) *Stream {
	s := k.streams.open(id)
	s.body = -1
	s.send.left = k.peer.window
	s.recv = receiveWindow{left: int32(k.cfg.InitialWindow), max: int32(k.cfg.InitialWindow), updatedAt: k.now}
	if !k.own.acked {
		// Until the peer has seen our SETTINGS, it uses the protocol's default.
		s.recv.left = max(s.recv.left, defaultWindow)
	}
	s.prio = DefaultPriority
	return s
}

// endInbound is called when the peer's message is complete.
func (k *core) endInbound(s *Stream) {
	if s.phase == phaseOpen {
		k.streams.enter(s, phaseReceived)
	} else {
		k.complete(s)
	}
}

// endOutbound is called when our message is complete.
func (k *core) endOutbound(s *Stream) {
	k.sched.unready(s)
	if s.phase == phaseOpen {
		k.streams.enter(s, phaseSent)
	} else {
		k.complete(s)
	}
}

// complete ends a stream on which both messages are complete: that earns budget.
func (k *core) complete(s *Stream) {
	k.close(s, phaseComplete, endMessage)
	k.budget.Earn(earnMessage)
}

// close ends a stream. It stays in the table until the owner releases it.
func (k *core) close(s *Stream, to phase, how ending) {
	if s.phase == phaseDiscarding {
		to = phaseDiscarded
	}
	k.sched.unready(s)
	k.debts.keepReturns(&s.send.unreturned, k.send.unreturned)
	k.ended.set(s.id, k.streams.newest(), how)
	k.streams.enter(s, to)
}

// sendReset ends a stream with RST_STREAM. It returns false if the connection has ended.
func (k *core) sendReset(s *Stream, code ErrCode) bool {
	if !k.reserve(FrameHeaderLen + 4) {
		return false
	}
	k.out = appendRST(k.out, s.id, code)
	how := endReset
	if s.phase == phaseReceived {
		how = endMessage // only WINDOW_UPDATE and RST_STREAM can still be on the way
	} else {
		k.allowLate(s.recv.left)
	}
	k.close(s, phaseReset, how)
	return true
}

// reset ends a stream on behalf of its owner.
func (k *core) reset(s *Stream, code ErrCode) {
	switch {
	case s.phase.closed() || k.err != nil:
	case s.phase == phaseIdle:
		k.streams.unopen(s)
	default:
		k.sendReset(s, code)
	}
}

// release removes a stream that its owner does not use any more, or lets it be discarded.
func (k *core) release(s *Stream) {
	switch answered := !k.client && s.phase == phaseSent; {
	case answered && s.body == 0:
		k.allowLate(0)
		k.close(s, phaseReset, endReset)
	case answered && k.discardRest(s):
		return
	case answered:
		k.reset(s, ErrCodeNo)
	default:
		k.reset(s, ErrCodeCancel)
	}
	if k.err == nil {
		k.consumeConn(s.unconsumed)
	}
	k.sched.unready(s)
	k.streams.drop(s)
}

// atStreamLimit reports whether the peer may not open another stream now. A stream that the peer has reset counts until
// the owner releases it: otherwise the peer could start any number of handlers. A complete stream does not count, because
// the peer knows that it is over (RFC 9113 §5.1.2). But at most twice MaxStreams may be unreleased.
func (k *core) atStreamLimit() bool {
	most, n := int64(k.cfg.MaxStreams), int64(k.streams.n)
	return n-int64(k.streams.counts[tallyComplete]) >= most || n >= 2*most
}
