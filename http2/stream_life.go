package http2

// newStream adds a stream that has just been opened.
func (c *Conn) newStream(id uint32) *Stream {
	c.ensureWorkspace()
	s := c.streams.add(id)
	s.body = -1
	s.sendWin = c.peer.window
	s.recvMax = int32(c.cfg.InitialWindow)
	s.recvWin = s.recvMax
	if c.state&connAcked == 0 {
		// Until the peer has seen our SETTINGS, it uses the protocol's default.
		s.recvWin = max(s.recvWin, defaultWindow)
	}
	s.updatedAt = c.now
	s.prio = DefaultPriority
	c.active++
	return s
}

// endRemote is called when the peer's message is complete.
func (c *Conn) endRemote(s *Stream) {
	if s.state == StateOpen {
		s.state = StateHalfClosedRemote
	} else {
		c.complete(s)
	}
}

// endLocal is called when our message is complete.
func (c *Conn) endLocal(s *Stream) {
	s.flags &^= flagReady
	c.dequeue(s)
	if s.state == StateOpen {
		s.state = StateHalfClosedLocal
	} else {
		c.complete(s)
	}
}

// complete ends a stream on which both messages are complete: that earns budget.
func (c *Conn) complete(s *Stream) {
	c.close(s, endMessage)
	s.flags |= flagCompleted
	c.completed++
	c.budget.Earn(earnMessage)
}

// close ends a stream. It stays in the table until the owner releases it.
func (c *Conn) close(s *Stream, how ending) {
	s.state = StateClosed
	s.flags &^= flagReady
	c.dequeue(s)
	c.active--
	c.debts.keepReturns(s)
	c.ended.set(s.id, c.newest(), how)
	c.forget(s)
}

// forget detaches the stream from the frame and the header block that are being received.
func (c *Conn) forget(s *Stream) {
	if c.frame.stream == s {
		c.frame.stream = nil
	}
	if c.block.stream == s {
		c.block.stream, c.block.purpose = nil, blockIgnored
	}
}

// sendReset ends a stream with RST_STREAM. It returns false if the connection has ended.
func (c *Conn) sendReset(s *Stream, code ErrCode) bool {
	if !c.checkPending(FrameHeaderLen + 4) {
		return false
	}
	c.out = appendRST(c.out, s.id, code)
	how := endReset
	if s.state == StateHalfClosedRemote {
		how = endMessage // only WINDOW_UPDATE and RST_STREAM can still be on the way
	} else {
		c.allowLate(s.recvWin)
	}
	s.flags |= flagReset
	c.close(s, how)
	return true
}

// Reset ends a stream with RST_STREAM, which waits in AppendPending. The owner must still release the stream. If the
// stream has ended already, Reset does nothing; if its HEADERS were not appended, nothing is sent.
func (c *Conn) Reset(s *Stream, code ErrCode) {
	switch {
	case s.state == StateClosed || c.err != nil:
	case s.state == StateIdle:
		c.unopen(s)
	default:
		c.sendReset(s, code)
	}
}

// Release ends the owner's use of the stream: it must not keep a pointer to it. A stream that has not ended is reset with
// CANCEL. If we are a server and our message is complete, the rest of the request is not needed: then it is reset with
// NO_ERROR (RFC 9113 §8.1), or the rest is received and discarded, see discard.go. What was received and not consumed counts
// as consumed. The RST_STREAM waits in AppendPending.
func (c *Conn) Release(s *Stream) {
	switch answered := !c.client && s.state == StateHalfClosedLocal; {
	case answered && s.body == 0:
		c.allowLate(0)
		c.close(s, endReset)
	case answered && c.discardRest(s):
		return
	case answered:
		c.Reset(s, ErrCodeNo)
	default:
		c.Reset(s, ErrCodeCancel)
	}
	if s.has(flagUnprocessed) {
		c.unprocessed--
	}
	if s.has(flagCompleted) {
		c.completed--
	}
	if s.has(flagHasty) {
		c.hasty--
	}
	if c.err == nil {
		c.consumeConn(s.unconsumed)
	}
	c.dequeue(s)
	c.forget(s)
	c.streams.remove(s)
}

// Open opens a stream of a client. The next header section that is appended must be that stream's. The error is
// ErrTooManyStreams, ErrGoingAway, ErrStreamIDs or the error that ended the connection.
func (c *Conn) Open(owner any) (*Stream, error) {
	switch {
	case c.err != nil:
		return nil, c.err
	case !c.client || c.state&(connGone|connShutting) != 0:
		return nil, ErrGoingAway
	case c.state&connOpening != 0 || c.active >= c.peer.maxStreams:
		return nil, ErrTooManyStreams
	case c.nextOwn > maxStreamID:
		return nil, ErrStreamIDs
	}
	s := c.newStream(c.nextOwn)
	c.nextOwn += 2
	c.state |= connOpening
	s.Owner = owner
	return s, nil
}

// Room returns how many streams a client can open now.
func (c *Conn) Room() int {
	gone := c.err != nil || c.state&(connGone|connShutting) != 0
	if gone || !c.client || c.nextOwn > maxStreamID || c.active >= c.peer.maxStreams {
		return 0
	}
	return int(min(c.peer.maxStreams-c.active, maxWindow))
}

// unopen undoes Open: the next stream gets the identifier.
func (c *Conn) unopen(s *Stream) {
	s.state = StateClosed
	c.active--
	c.nextOwn -= 2
	c.state &^= connOpening
}
