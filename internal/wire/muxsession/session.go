package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Session is one side of a session: its two directions, and the channels that begin and end in both at once.
type Session struct {
	shared
	outflow
	inflow
	reader muxframe.Reader
}

// New returns a new session without a connection.
func New(cfg Config) *Session {
	t := &cfg.Theirs
	s := &Session{shared: shared{
		watcher: cfg.Watcher, cfg: cfg.Settings, theirs: peerLimits{t.Window, t.Session, t.MaxMessage, t.Reserve},
		numbering: newNumbering(cfg.Dialler), channels: &noChannels,
	}}
	s.outflow = outflow{shared: &s.shared, credit: int(t.Session), owner: s}
	s.inflow = inflow{shared: &s.shared, window: window{credit: int(cfg.Ours.Session)}}
	return s
}

// Open opens a channel with c, which must be new. meta may be nil. ok is false if there is no free number, or the peer does
// not acknowledge the ends of earlier channels.
func (s *Session) Open(c *Channel, name string, meta []byte, atMostOnce bool) (ok bool) {
	if s.endedFull() {
		return false
	}
	last := s.cfg.LastNumber
	if last == 0 {
		last = muxframe.MaxChannel - 1
	}
	number, ok := s.numbering.next(last, s.taken)
	if !ok {
		return false
	}
	c.name, c.number, c.opened, c.atMostOnce = name, number, true, atMostOnce
	s.addChannel(c, number)
	before := s.out.end
	s.write(muxframe.AppendOpen(s.tail(muxframe.MaxControl+len(name)+len(meta)), number, name, meta))
	s.opens += uint32(s.out.end - before)
	return true
}

// End ends our half of c after its waiting Sends. With Stopped this side also receives nothing more.
func (s *Session) End(c *Channel, how Ending) {
	st := &c.state
	if st.over || how <= st.ending() {
		return
	}
	if st.ours == oursOpen {
		st.ours = oursEnding
	}
	if how == Stopped {
		st.stopped = true
		s.dropInbox(c)
		s.dropPiece(c)
		s.creditChannel(c)
	}
	switch {
	case s.phase >= left: // END may not follow GOAWAY; the channel ends with the session
	case st.ours >= oursEnded:
		s.writeEnd(c) // again, with STOP
	case c.out.first == nil:
		s.endHalf(c)
	}
}

// Reset ends c at once on both sides. If it is over already, what is in its inbox is dropped.
func (s *Session) Reset(c *Channel, code uint32) {
	if c.state.over {
		s.Discard(c)
		return
	}
	s.failSends(c, ErrReset)
	s.writeReset(c.number, code)
	s.forgetOutgoing(c)
	c.state.resetBy(Reset{Code: code})
	s.dropInbox(c)
	s.removeChannel(c)
	s.goAway()
}

// ourHalfEnded implements halfEnder.
func (s *Session) ourHalfEnded(c *Channel) { s.finishChannel(c) }

// finishChannel removes c if both of its halves have ended. If both sides have opened it, the peer may have reset it before it
// received our OPEN, which then opens another channel there, and our END ends only half of that: a RESET ends the rest.
func (s *Session) finishChannel(c *Channel) {
	if c.state.over || !c.state.bothEnded() {
		return
	}
	if c.theirs != 0 && c.theirs != c.number {
		s.writeReset(c.number, 0)
	}
	s.budget.allowLate()
	s.removeChannel(c)
}

// removeChannel removes c from the session. Messages in its inbox can still be taken.
func (s *Session) removeChannel(c *Channel) {
	c.state.over = true
	s.table.remove(c)
	s.abandon(c)
	s.budget.allowLateReserve(c.in.reserve)
	s.shrinkWindow(&c.in)
	if s.watcher.Over(c) {
		s.dropInbox(c)
	}
	s.creditSession()
	s.watcher.Readable(c)
	s.watcher.Acked(c)
}

// Trim releases memory that an idle session does not need.
func (s *Session) Trim() {
	s.out.trim(s.cfg.Memory)
	s.trimChannels()
}

// Terminate ends the session. Waiting Sends fail with err, and memory is released except for messages that were not taken
// yet. Afterwards only methods that return state, and those that take messages, may be called.
func (s *Session) Terminate(err error) {
	if s.phase == terminated {
		return
	}
	s.phase = terminated
	for _, c := range s.names {
		s.failSends(c, err)
		c.state.over = true
		s.abandon(c)
		_ = s.watcher.Over(c)
		s.watcher.Readable(c)
	}
	for _, c := range s.outgoing {
		s.watcher.Acked(c)
	}
	s.out.clear(s.cfg.Memory)
}
