package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// Receive takes what has come on the session's connection: n bytes of it; the rest is given again at the front of more. The
// error is a *muxframe.Error or a *Killed: the session cannot go on.
func (s *Session) Receive(b []byte, now int64) (n int, err error) {
	s.link.heard = now
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
	if s.out.kept() > s.cfg.Kept+overKept {
		return n, muxframe.Broken("what is answered is not acknowledged")
	}
	s.afterReceive(now)
	return n, nil
}

// overKept is how much more than Config.Kept may be kept: answers that do not wait.
const overKept = 1 << 20

// control acts on a frame that is not DATA.
func (s *Session) control(f *muxframe.Frame, now int64) error {
	if s.peerGone && (f.Type == muxframe.Open || f.Type == muxframe.End || f.Type == muxframe.Goaway) {
		return muxframe.Broken(f.Type.String() + " behind GOAWAY")
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
		s.link.pong, s.link.pongFor = true, f.N
		return s.budget.spend(now, 1)
	case muxframe.Pong:
		return s.gotPong(f.N, now)
	case muxframe.Kill:
		return &Killed{Code: uint32(f.N), Text: string(f.Name)}
	}
	return nil
}

// Killed is a peer that has ended the session at once.
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

// channelOf returns the channel with a number, nil if it is over.
func (s *Session) channelOf(n uint32) (*Channel, error) {
	c := s.numbers[n]
	if c == nil && !s.known(n) {
		return nil, muxframe.Broken("a frame for a channel that was never opened")
	}
	return c, nil
}

func (s *Session) gotOpen(f *muxframe.Frame, now int64) error {
	if s.mine(f.Channel) || s.numbers[f.Channel] != nil {
		return muxframe.Broken("OPEN with a number that is not the peer's to use")
	}
	if f.Channel < s.theirs {
		s.theirsWrapped = true
	}
	s.theirs = f.Channel
	c := s.names[string(f.Name)]
	if c != nil {
		if c.theirs != 0 || !c.opened {
			return muxframe.Broken("OPEN with the name of a channel that is open")
		}
		c.theirs, s.numbers[f.Channel] = f.Channel, c // both have opened it: it is one channel
		return nil
	}
	if s.goingAway || len(s.names) >= s.cfg.MaxChannels {
		s.write(muxframe.AppendReset(s.scratch[:0], f.Channel, muxframe.CodeTooMany))
		return s.budget.spend(now, 1)
	}
	name := string(f.Name)
	c = s.cfg.Watcher.Announced(name, f.Meta)
	c.name, c.number, c.theirs = name, f.Channel, f.Channel
	s.enter(c, f.Channel)
	return nil
}

func (s *Session) gotEnd(f *muxframe.Frame, now int64) error {
	c, err := s.channelOf(f.Channel)
	if c == nil {
		return err
	}
	stop := f.Flags&muxframe.Stop != 0
	if c.in.got || c.in.ended && (!stop || c.out.deaf) {
		return muxframe.Broken("END of a half that has ended, or within a message")
	}
	c.in.ended = true
	if stop {
		c.out.deaf = true
		if c.out.tail {
			s.voidRest(c)
		}
		s.failSends(c, ErrDeaf)
		s.end(c)
	}
	s.cfg.Watcher.Readable(c)
	s.finish(c)
	return nil
}

func (s *Session) gotReset(f *muxframe.Frame, now int64) error {
	c, err := s.channelOf(f.Channel)
	if err == nil {
		err = s.budget.spend(now, 1)
	}
	if c == nil || err != nil {
		return err
	}
	if f.Channel != c.number && !c.out.ended { // the peer has another number of it, which is over as well
		s.write(muxframe.AppendReset(s.scratch[:0], c.number, uint32(f.N)))
	}
	s.settled(c)
	c.out.ended, c.in.ended, c.reset = true, true, &Reset{Code: uint32(f.N), Peer: true}
	s.failSends(c, ErrReset)
	s.remove(c)
	return nil
}

// data acts on a DATA frame, or a piece of one.
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
	if !in.got && f.Begins && f.Ends && f.Flags&(muxframe.Fin|muxframe.Exempt|muxframe.Void) == muxframe.Fin &&
		len(f.Payload) <= packed && !in.deaf {
		in.messages++
		in.used += cost
		in.inbox.add(s.cfg.Memory, f.Payload, cost)
		s.gotMessage(c, len(f.Payload))
		return nil
	}
	return s.pieceOf(c, f, cost, now)
}

// lateData drops what comes for a channel that is over here, and which the peer has sent before it knew.
func (s *Session) lateData(f *muxframe.Frame, now int64) error {
	if !f.Begins {
		return nil
	}
	if !s.known(f.Channel) {
		return muxframe.Broken("DATA in a channel that was never opened")
	}
	if f.Flags&muxframe.Exempt == 0 && (f.Length > 0 || f.Flags&muxframe.Void == 0) {
		cost := f.Length + muxframe.Overhead
		if s.window.credit < cost {
			return errWindow
		}
		s.window.credit -= cost
		s.regrant()
	}
	return s.budget.spend(now, 1)
}

var errWindow = muxframe.Broken("DATA of more than the window")

// charge takes what a DATA frame counts for from the windows, as soon as it begins.
func (s *Session) charge(c *Channel, f *muxframe.Frame, now int64) (cost int, err error) {
	in := &c.in
	switch {
	case in.ended || s.peerGone:
		return 0, muxframe.Broken("DATA behind the end of the channel")
	case f.Length == 0 && f.Flags&muxframe.Void != 0:
		return 0, s.budget.spend(now, 1)
	case s.cfg.Ours.MaxMessage > 0 && len(in.part)+f.Length > int(s.cfg.Ours.MaxMessage):
		return 0, muxframe.Broken("a message that is larger than is taken")
	}
	cost = f.Length + muxframe.Overhead
	if f.Flags&muxframe.Exempt != 0 {
		if in.granted < cost {
			return 0, muxframe.Broken("DATA of more than the grant")
		}
		in.granted -= cost
		in.exempt += cost
		s.window.exempt += cost
		return 0, nil
	}
	if in.credit < cost || s.window.credit < cost {
		return 0, errWindow
	}
	in.credit -= cost
	s.window.credit -= cost
	s.window.used += cost
	return cost, nil
}

// pieceOf gathers a message that comes in pieces, or is large.
func (s *Session) pieceOf(c *Channel, f *muxframe.Frame, cost int, now int64) error {
	in := &c.in
	if !in.got && f.Begins {
		in.got = true
		s.gathering++
		s.parts++
		in.order = s.parts
	}
	in.partCost += cost
	in.partVoid = in.partVoid || f.Flags&muxframe.Void != 0
	if in.partVoid || in.deaf {
		s.forget(c)
	} else {
		s.gather(in, f)
	}
	if f.Ends && f.Flags&muxframe.Fin != 0 {
		s.wholeMessage(c)
	}
	if cost > 0 || in.partVoid || !in.got {
		s.regrantChannel(c, now)
	}
	return nil
}

// gather adds what has come of a message. Memory follows that.
func (s *Session) gather(in *receiver, f *muxframe.Frame) {
	if in.part == nil && in.dst != nil {
		in.part, in.dst, in.lent = in.dst[:0], nil, true
	}
	n := len(in.part)
	if need := n + len(f.Payload); need > cap(in.part) || in.part == nil {
		b := s.cfg.Memory.Get(max(need, 2*n, 1))
		copy(b, in.part)
		s.putPart(in)
		in.part = b[:n]
	}
	in.part = append(in.part, f.Payload...)
}

// putPart gives back the memory of a message that is not whole, if it is not a reader's.
func (s *Session) putPart(in *receiver) {
	if in.part != nil && !in.lent {
		s.cfg.Memory.Put(in.part)
	}
	in.part, in.lent = nil, false
}

// wholeMessage ends a message that has come in pieces.
func (s *Session) wholeMessage(c *Channel) {
	in := &c.in
	void, p, cost, exempt := in.partVoid || in.deaf, in.part, in.partCost, in.exempt
	in.partCost, in.exempt, in.got, in.partVoid, in.granted = 0, 0, false, false, 0
	in.messages++
	s.gathering--
	if s.granted == c {
		s.granted = nil
	}
	if void {
		s.window.used -= cost
		s.window.exempt -= exempt
		s.putPart(in)
		return
	}
	in.used += cost
	if exempt == 0 && len(p) <= packed {
		in.inbox.add(s.cfg.Memory, p, cost)
		s.putPart(in)
	} else {
		in.inbox.addAlone(p, cost, exempt, in.lent)
		in.part, in.lent = nil, false
	}
	s.gotMessage(c, len(p))
}

// gotMessage says that a message is in c's inbox.
func (s *Session) gotMessage(c *Channel, n int) {
	c.in.dst = nil // who waits gets this one
	c.in.received++
	s.stats.Received++
	s.stats.ReceivedBytes += uint64(n)
	s.cfg.Watcher.Readable(c)
}

// forget gives back what has come of a message that will not be delivered.
func (s *Session) forget(c *Channel) {
	in := &c.in
	s.putPart(in)
	s.window.used -= in.partCost
	s.window.exempt -= in.exempt
	in.partCost, in.exempt = 0, 0
}

// dropPart is forget for a channel that is over.
func (s *Session) dropPart(c *Channel) {
	s.forget(c)
	if c.in.got {
		s.gathering--
	}
	c.in.got, c.in.granted = false, 0
	if s.granted == c {
		s.granted = nil
	}
}
