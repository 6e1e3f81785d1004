package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Receive processes n bytes that were received on the session's connection. The rest is an incomplete frame, which must be
// passed again together with the bytes that follow. An error is a *muxframe.Error or a *Killed and ends the session.
func (s *Session) Receive(b []byte, now int64) (n int, err error) {
	s.link.lastHeard = now
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
			err = s.data(f, now)
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
	s.afterReceive(now)
	return n, nil
}

// maxOverKept is how far the outbox may exceed Settings.Kept with frames that answer the peer's and cannot wait. OPEN does not
// count, as it is no answer.
const maxOverKept = 1 << 20

// control acts on a frame other than DATA.
func (s *Session) control(f *muxframe.Frame, now int64) error {
	if s.goawayReceived && (f.Type == muxframe.Open || f.Type == muxframe.End || f.Type == muxframe.Goaway) {
		return muxframe.Broken(f.Type.String() + " after GOAWAY")
	}
	switch f.Type {
	case muxframe.Open:
		return s.gotOpen(f, now)
	case muxframe.End:
		return s.gotEnd(f, now)
	case muxframe.Reset:
		return s.gotReset(f, now)
	case muxframe.Window:
		return s.gotWindow(f, now)
	case muxframe.Grant:
		return s.gotGrant(f, now)
	case muxframe.Goaway:
		return s.gotGoaway()
	case muxframe.Ack:
		return s.gotAck(f.N, now)
	case muxframe.Ping:
		s.link.pongDue, s.link.pongToken = true, f.N
		return s.budget.spend(now, 1)
	case muxframe.Pong:
		return s.gotPong(f.N, now)
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

// channelOf returns the channel with number n, nil if it is over. The error says that no channel has had the number.
func (s *Session) channelOf(n uint32) (*Channel, error) {
	c := s.numbers[n]
	if c == nil && !s.wasUsed(n) {
		return nil, muxframe.Broken("a frame for a channel that was never opened")
	}
	return c, nil
}

func (s *Session) gotOpen(f *muxframe.Frame, now int64) error {
	if s.isOurs(f.Channel) || s.numbers[f.Channel] != nil {
		return muxframe.Broken("OPEN with a number that is not the peer's to use")
	}
	if f.Channel < s.lastTheirs {
		s.theirsWrapped = true
	}
	s.lastTheirs = f.Channel
	c := s.names[string(f.Name)]
	if c != nil {
		if c.theirs != 0 || !c.opened {
			return muxframe.Broken("OPEN with the name of a channel that is open")
		}
		c.theirs, s.numbers[f.Channel] = f.Channel, c // both sides have opened it: it is one channel
		return nil
	}
	name := string(f.Name)
	if !s.goingAway && len(s.names) < s.cfg.MaxChannels && !s.endedFull() {
		c = s.cfg.Watcher.Announced(name, f.Meta)
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

func (s *Session) gotEnd(f *muxframe.Frame, now int64) error {
	c, err := s.channelOf(f.Channel)
	if err != nil {
		return err
	}
	if c == nil {
		return s.budget.spendLate(now)
	}
	stop := f.Flags&muxframe.Stop != 0
	if c.in.midMessage || c.in.ended && (!stop || c.out.peerStopped) {
		return muxframe.Broken("END of a half that has ended, or within a message")
	}
	c.in.ended = true
	if stop {
		c.out.peerStopped = true
		if c.out.midMessage {
			s.voidRest(c)
		}
		s.failSends(c, ErrPeerStopped)
		s.endHalf(c)
	}
	s.cfg.Watcher.Readable(c)
	s.finishChannel(c)
	return nil
}

func (s *Session) gotReset(f *muxframe.Frame, now int64) error {
	c, err := s.channelOf(f.Channel)
	if err != nil {
		return err
	}
	if c == nil { // both sides have reset it, or the peer answers for its other number
		return s.budget.spendLate(now)
	}
	if !c.used() {
		if err := s.budget.spend(now, 1); err != nil {
			return err
		}
	}
	if f.Channel != c.number { // so is the other number of the same channel; also behind our END, see finishChannel
		s.writeReset(c.number, uint32(f.N))
	}
	s.forgetOutgoing(c)
	c.out.ended, c.in.ended, c.reset = true, true, &Reset{Code: uint32(f.N), Peer: true}
	s.failSends(c, ErrReset)
	s.removeChannel(c)
	return nil
}

// data acts on a DATA frame or a piece of one.
func (s *Session) data(f *muxframe.Frame, now int64) error {
	c := s.numbers[f.Channel]
	if c == nil || c.over {
		return s.lateData(f, now)
	}
	in := &c.in
	cost := 0
	if f.Begins {
		var err error
		if cost, err = s.charge(c, f, now); err != nil {
			return err
		}
	}
	if !in.midMessage && f.Begins && f.Ends && f.Flags&(muxframe.Fin|muxframe.Exempt|muxframe.Void) == muxframe.Fin &&
		len(f.Payload) <= maxPacked && !in.stopped {
		in.messages++
		in.used += cost
		in.inbox.add(s.cfg.Memory, f.Payload, cost)
		s.gotMessage(c, len(f.Payload))
		if s.partials > 0 {
			s.creditSession() // an incomplete message may need a GRANT now
		}
		return nil
	}
	return s.addPiece(c, f, cost, now)
}

// lateData drops data for a channel that is over on this side. The peer may have sent it before it knew.
func (s *Session) lateData(f *muxframe.Frame, now int64) error {
	if !f.Begins {
		return nil
	}
	if !s.wasUsed(f.Channel) {
		return muxframe.Broken("DATA in a channel that was never opened")
	}
	cost := f.Length + muxframe.Overhead
	if f.Flags&muxframe.Reserve != 0 {
		return s.budget.spendLateReserve(now, cost)
	}
	if f.Flags&muxframe.Exempt == 0 && (f.Length > 0 || f.Flags&muxframe.Void == 0) {
		if s.window.credit < cost {
			return errWindow
		}
		s.window.credit -= cost
		s.creditSession()
		return nil // the window bounds it; the peer may have sent a whole window before it knew
	}
	return s.budget.spend(now, 1)
}

var errWindow = muxframe.Broken("DATA of more than the window")

// charge takes the cost of a DATA frame from the windows when the frame begins.
func (s *Session) charge(c *Channel, f *muxframe.Frame, now int64) (cost int, err error) {
	in := &c.in
	switch {
	case in.ended || s.goawayReceived:
		return 0, muxframe.Broken("DATA after the end of the channel")
	case f.Length == 0 && f.Flags&muxframe.Void != 0:
		return 0, s.budget.spend(now, 1)
	case s.cfg.Ours.MaxMessage > 0 && len(in.partial)+f.Length > int(s.cfg.Ours.MaxMessage):
		return 0, muxframe.Broken("a message larger than the limit")
	}
	cost = f.Length + muxframe.Overhead
	if f.Flags&muxframe.Exempt != 0 {
		if in.granted < cost {
			return 0, muxframe.Broken("DATA of more than the grant")
		}
		in.granted -= cost
		s.granted -= int64(cost)
		in.exempt += cost
		s.window.exempt += cost
		return 0, nil
	}
	if in.credit < cost {
		return 0, errWindow
	}
	if f.Flags&muxframe.Reserve != 0 {
		if int(in.reserve) < cost {
			return 0, muxframe.Broken("DATA of more than the reserve")
		}
		in.reserve -= int32(cost)
		in.reserved += int32(cost)
		s.window.reserved += cost
	} else {
		if s.window.credit < cost {
			return 0, errWindow
		}
		s.window.credit -= cost
		s.window.used += cost
	}
	in.credit -= cost
	return cost, nil
}

// addPiece adds a piece to a message that is large or comes in pieces.
func (s *Session) addPiece(c *Channel, f *muxframe.Frame, cost int, now int64) error {
	in := &c.in
	if !in.midMessage && f.Begins {
		in.midMessage = true
		s.partials++
	}
	in.partialCost += cost
	in.partialVoid = in.partialVoid || f.Flags&muxframe.Void != 0
	if in.partialVoid || in.stopped {
		s.discardPartial(c)
	} else {
		s.appendPartial(in, f)
	}
	if f.Ends && f.Flags&muxframe.Fin != 0 {
		s.wholeMessage(c)
	} else {
		s.sortPartial(c)
	}
	if cost > 0 || in.partialVoid || !in.midMessage {
		s.creditChannel(c, now)
	}
	return nil
}

// appendPartial appends the payload to the current message. The buffer grows with the bytes received, not with the announced
// length.
func (s *Session) appendPartial(in *receiver, f *muxframe.Frame) {
	if in.partial == nil && in.readerBuf != nil {
		in.partial, in.readerBuf, in.inReaderBuf = in.readerBuf[:0], nil, true
	}
	n := len(in.partial)
	if need := n + len(f.Payload); need > cap(in.partial) || in.partial == nil {
		b := s.cfg.Memory.Get(max(need, 2*n, 1))
		copy(b, in.partial)
		s.releasePartial(in)
		in.partial = b[:n]
	}
	in.partial = append(in.partial, f.Payload...)
}

// releasePartial returns the current message's buffer to the pool, unless it is a reader's.
func (s *Session) releasePartial(in *receiver) {
	if in.partial != nil && !in.inReaderBuf {
		s.cfg.Memory.Put(in.partial)
	}
	in.partial, in.inReaderBuf = nil, false
}

// wholeMessage ends a message that came in pieces and puts it into the inbox.
func (s *Session) wholeMessage(c *Channel) {
	in := &c.in
	void, p, cost, exempt := in.partialVoid || in.stopped, in.partial, in.partialCost, in.exempt
	in.partialCost, in.exempt, in.midMessage, in.partialVoid = 0, 0, false, false
	in.messages++
	s.partials--
	s.endGrant(in)
	s.sortPartial(c)
	if void {
		s.uncount(in, cost)
		s.window.exempt -= exempt
		s.releasePartial(in)
		return
	}
	in.used += cost
	if exempt == 0 && len(p) <= maxPacked {
		in.inbox.add(s.cfg.Memory, p, cost)
		s.releasePartial(in)
	} else {
		in.inbox.addAlone(p, cost, exempt, in.inReaderBuf)
		in.partial, in.inReaderBuf = nil, false
	}
	s.gotMessage(c, len(p))
}

// gotMessage counts a message that was put into c's inbox and calls the Watcher.
func (s *Session) gotMessage(c *Channel, n int) {
	c.in.readerBuf = nil // the waiting reader takes this message
	c.in.received++
	s.stats.Received++
	s.stats.ReceivedBytes += uint64(n)
	s.cfg.Watcher.Readable(c)
}

// discardPartial drops the received part of a message that will not be delivered.
func (s *Session) discardPartial(c *Channel) {
	in := &c.in
	s.releasePartial(in)
	s.uncount(in, in.partialCost)
	s.window.exempt -= in.exempt
	in.partialCost, in.exempt = 0, 0
}

// abandonPartial drops the current message of a channel that is over.
func (s *Session) abandonPartial(c *Channel) {
	s.discardPartial(c)
	if c.in.midMessage {
		s.partials--
	}
	c.in.midMessage = false
	s.endGrant(&c.in)
	s.sortPartial(c)
}
