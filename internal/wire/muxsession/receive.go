package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Receive processes n bytes that were received on the session's connection. The rest is an incomplete frame, which must be
// passed again together with the bytes that follow. An error is a *muxframe.Error or a *Killed and ends the session.
func (s *Session) Receive(b []byte, now int64) (n int, err error) {
	s.lastHeard = now
	var frame muxframe.Frame
	f := &frame
	for n < len(b) {
		k, err := s.reader.Next(b[n:], f)
		if err != nil || k == 0 {
			return n, err
		}
		n += k
		if f.Type == muxframe.Data {
			s.received += uint64(k)
			if c := s.numbers[f.Channel]; c == nil || c.state.over {
				err = s.lateData(f, now)
			} else {
				err = s.data(c, f, now)
			}
		} else {
			if f.Type.Counted() {
				s.received += uint64(k)
			}
			err = s.control(f, now)
		}
		if err != nil {
			return n, err
		}
	}
	if s.out.kept() > s.cfg.Kept+maxOverKept+int(s.opens) {
		return n, muxframe.Broken("answers are not acknowledged")
	}
	s.scheduleAck(now)
	return n, nil
}

// maxOverKept is how far the outbox may exceed Settings.Kept with frames that answer the peer's and cannot wait. OPEN does not
// count, as it is no answer.
const maxOverKept = 1 << 20

// control acts on a frame other than DATA.
func (s *Session) control(f *muxframe.Frame, now int64) error {
	if s.PeerGone() && (f.Type == muxframe.Open || f.Type == muxframe.End || f.Type == muxframe.Goaway) {
		return muxframe.Broken(f.Type.String() + " after GOAWAY")
	}
	switch f.Type {
	case muxframe.Open:
		return s.gotOpen(f, now)
	case muxframe.End, muxframe.Reset, muxframe.Window, muxframe.Grant:
		return s.gotForChannel(f, now)
	case muxframe.Goaway:
		return s.gotGoaway()
	case muxframe.Ack:
		return s.gotAck(f.N, now)
	case muxframe.Ping:
		s.gotPing(f.N)
		return s.budget.spend(now, 1)
	case muxframe.Pong:
		if !s.gotPong(f.N, s.watcher.Exact()) {
			return s.budget.spend(now, 1)
		}
	case muxframe.Kill:
		return &Killed{Code: uint32(f.N), Text: string(f.Name)}
	}
	return nil
}

// Killed is the error of Receive when the peer has sent KILL.
type Killed struct {
	Code uint32
	Text string
}

// Error implements error.
func (k *Killed) Error() string {
	why := [...]string{"aborted", "protocol", "too many sessions"}[min(k.Code, 2)]
	if k.Text != "" {
		why += ": " + k.Text
	}
	return "tcpmux: the peer has ended the session: " + why
}

func (s *Session) gotOpen(f *muxframe.Frame, now int64) error {
	if s.numbering.isOurs(f.Channel) || s.numbers[f.Channel] != nil {
		return muxframe.Broken("OPEN with a number that is not the peer's to use")
	}
	s.numbering.theyUse(f.Channel)
	c := s.names[string(f.Name)]
	if c != nil {
		if c.theirs != 0 || !c.opened {
			return muxframe.Broken("OPEN with the name of a channel that is open")
		}
		c.theirs, s.numbers[f.Channel] = f.Channel, c // both sides have opened it: it is one channel
		return nil
	}
	name := string(f.Name)
	if !s.GoingAway() && len(s.names) < s.cfg.MaxChannels && !s.endedFull() {
		c = s.watcher.Announced(name, f.Meta)
	}
	if c == nil {
		s.writeReset(f.Channel, muxframe.CodeTooMany)
		s.budget.allowLateReserve(int32(s.cfg.Ours.Reserve))
		return s.budget.spend(now, 1)
	}
	c.name, c.number, c.theirs = name, f.Channel, f.Channel
	s.addChannel(c, f.Channel)
	return nil
}

// gotForChannel acts on a frame for a channel, or for the session's window.
func (s *Session) gotForChannel(f *muxframe.Frame, now int64) error {
	if f.Type == muxframe.Window && f.N < minCredit {
		if err := s.budget.spend(now, 1); err != nil {
			return err
		}
	}
	if f.Type == muxframe.Window && f.Channel == 0 {
		return s.gotSessionWindow(f.N)
	}
	c := s.numbers[f.Channel]
	if c == nil { // it is over on this side: the peer may have sent the frame before it knew
		if !s.numbering.wasUsed(f.Channel) {
			return muxframe.Broken("a frame for a channel that was never opened")
		}
		return s.budget.spendLate(now)
	}
	switch {
	case f.Type == muxframe.End:
		return s.gotEnd(c, f.Flags)
	case f.Type == muxframe.Reset:
		return s.gotReset(c, f, now)
	case f.Type == muxframe.Grant:
		return s.gotGrant(c, f, now)
	case f.Flags&muxframe.Reserve != 0:
		return s.gotReserve(c, f.N)
	}
	return s.gotWindow(c, f.N)
}

func (s *Session) gotEnd(c *Channel, flags muxframe.Flags) error {
	stop := flags&muxframe.Stop != 0
	if c.in.partial.arriving() || c.Ended() && (!stop || c.PeerStopped()) {
		return muxframe.Broken("END of a half that has ended, or within a message")
	}
	if c.state.theirs = theirsEnded; stop {
		c.state.theirs = theirsStopped
		if c.out.midMessage() {
			s.voidRest(c)
		}
		s.failSends(c, ErrPeerStopped)
		s.endHalf(c)
	}
	s.watcher.Readable(c)
	s.finishChannel(c)
	return nil
}

func (s *Session) gotReset(c *Channel, f *muxframe.Frame, now int64) error {
	if !c.used() {
		if err := s.budget.spend(now, 1); err != nil {
			return err
		}
	}
	if f.Channel != c.number { // so is the other number of the same channel; also behind our END, see finishChannel
		s.writeReset(c.number, uint32(f.N))
	}
	s.forgetOutgoing(c)
	c.state.resetBy(Reset{Code: uint32(f.N), Peer: true})
	s.failSends(c, ErrReset)
	s.removeChannel(c)
	return nil
}

// gotGoaway acts on GOAWAY. The peer accepts only messages that are already in the outbox.
func (s *Session) gotGoaway() error {
	for _, c := range s.names {
		if c.in.partial.arriving() {
			return muxframe.Broken("GOAWAY within a message")
		}
		if c.out.midMessage() {
			s.voidRest(c)
		}
		s.failSends(c, ErrGone)
	}
	s.GoAway()
	s.phase = bothLeft
	return nil
}
