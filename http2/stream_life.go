package http2

// opening makes the struct of a stream that has just been opened.
func (c *Conn) newStream(id uint32) *Stream {
	c.unpark()
	s := c.streams.add(id)
	s.body = -1
	s.sendWin = c.peer.window
	s.recvMax = int32(c.cfg.InitialWindow)
	s.recvWin = s.recvMax
	if c.state&connAcked == 0 {
		// Until the peer has seen our SETTINGS it goes by the protocol's default.
		s.recvWin = max(s.recvWin, defaultWindow)
	}
	s.epoch = c.now
	s.prio = DefaultPriority
	c.active++
	return s
}

// endRemote is called when the peer has sent all of its message.
func (c *Conn) endRemote(s *Stream) {
	if s.state == Open {
		s.state = HalfClosedRemote
	} else {
		c.complete(s)
	}
}

// endLocal is called when we have sent all of our message.
func (c *Conn) endLocal(s *Stream) {
	s.flags &^= flagReady
	c.dequeue(s)
	if s.state == Open {
		s.state = HalfClosedLocal
	} else {
		c.complete(s)
	}
}

// complete ends a stream on which both messages ended: that is progress.
func (c *Conn) complete(s *Stream) {
	c.close(s, endMessage)
	s.flags |= flagAnswered
	c.answered++
	c.budget.earn(earnMessage)
}

// close ends a stream. The struct stays until the owner has released it.
func (c *Conn) close(s *Stream, how ending) {
	s.state = Closed
	s.flags &^= flagReady
	c.dequeue(s)
	c.active--
	c.ended.set(s.id, how)
	c.forget(s)
}

// forget has nothing that is being received belong to the stream any more.
func (c *Conn) forget(s *Stream) {
	if c.frame.stream == s {
		c.frame.stream = nil
	}
	if c.block.stream == s {
		c.block.stream, c.block.purpose = nil, blockIgnored
	}
}

// sendReset ends a stream with RST_STREAM. It returns false if the connection has ended.
func (c *Conn) sendReset(s *Stream, code Code) bool {
	if !c.room(FrameHeaderLen + 4) {
		return false
	}
	c.out = appendRST(c.out, s.id, code)
	how := endReset
	if s.state == HalfClosedRemote {
		how = endMessage // nothing but WINDOW_UPDATE and RST_STREAM can be on its way
	} else {
		c.foreseeLate(s.recvWin)
	}
	s.flags |= flagReset
	c.close(s, how)
	return true
}

// Reset ends a stream with RST_STREAM, which waits in AppendPending. The owner releases it as ever. On a stream that
// has ended, or whose HEADERS were not appended, it only ends what the owner can do with it.
func (c *Conn) Reset(s *Stream, code Code) {
	switch {
	case s.state == Closed || c.err != nil:
	case s.state == Idle:
		c.unopen(s)
	default:
		if !c.client {
			c.charge(costOwnerReset)
		}
		c.sendReset(s, code)
	}
}

// Release gives the stream back: the owner keeps no pointer to it. One that has not ended is reset: with NO_ERROR if
// we have sent all of our message as a server (the rest of the request is not needed, RFC 9113 §8.1), else with CANCEL.
// Where that rest may be on its way as a whole it is passed over, see left.go: a reset would make clients throw the answer
// away.
// What was received and not consumed is consumed. The RST_STREAM waits in AppendPending.
func (c *Conn) Release(s *Stream) {
	switch answered := !c.client && s.state == HalfClosedLocal; {
	case answered && s.body == 0:
		c.close(s, endReset)
	case answered && c.leave(s):
		return
	case answered:
		c.Reset(s, NoError)
	default:
		c.Reset(s, Cancel)
	}
	if s.has(flagRefused) {
		c.leftOut--
	}
	if s.has(flagAnswered) {
		c.answered--
	}
	if c.err == nil {
		c.consumeConn(s.held)
	}
	c.dequeue(s)
	c.forget(s)
	c.streams.remove(s)
}

// Open begins a stream of ours: that of a client. The next header section that is appended must be that stream's. The
// error is ErrTooManyStreams, ErrGoingAway, ErrStreamIDs or what ended the connection.
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

// Room returns how many streams Open would open now: of a client.
func (c *Conn) Room() int {
	gone := c.err != nil || c.state&(connGone|connShutting) != 0
	if gone || !c.client || c.nextOwn > maxStreamID || c.active >= c.peer.maxStreams {
		return 0
	}
	return int(min(c.peer.maxStreams-c.active, maxWindow))
}

// unopen takes Open back: the identifier is the next stream's.
func (c *Conn) unopen(s *Stream) {
	s.state = Closed
	c.active--
	c.nextOwn -= 2
	c.state &^= connOpening
}
