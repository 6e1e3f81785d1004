package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// window accounts for all that a session has received and that was not taken.
type window struct {
	credit   int // what the peer may still send
	used     int // cost of the messages that were not taken, whole or not, without what follows
	reserved int // the part of the cost that counts in the reserves of channels
	exempt   int // cost of what came with a GRANT, past the windows
}

// The session's window bounds what all channels hold together. When messages that nobody takes fill it, a channel whose
// messages are taken still goes on: its reserve holds a little beyond the session's window, and its peer uses that when the
// session's window is full. So a message begins, and a GRANT lets it become complete.
//
// An incomplete message does not count in its channel's window while the inbox is empty, because no Receive could make room.
// So it can become complete, however small the window is. It does count in the session's window or in the reserve. When the
// session's window is full, GRANTs let incomplete messages continue past it: those for which readers wait, as many at a time
// as fit into maxExempt; if there are none, the oldest other one.

// creditChannel gives the peer credit in c, and in the session, for what no longer counts.
func (s *Session) creditChannel(c *Channel, now int64) {
	in := &c.in
	if !in.ended && !c.over {
		used := in.used
		if used > 0 {
			used += in.partialCost
		}
		if n := in.window - in.credit - used; n >= in.window/2 {
			if !in.stopped && s.growWindow(c, n) {
				n = in.window - in.credit - used
			}
			in.credit += n
			s.write(muxframe.AppendWindow(s.tail(muxframe.MaxControl), c.sentUnder(), uint64(n)))
		}
		if n := int32(s.cfg.Ours.Reserve) - in.reserve - in.reserved; n > 0 && n >= int32(s.cfg.Ours.Reserve)/2 {
			in.reserve += n
			s.write(muxframe.AppendReserve(s.tail(muxframe.MaxControl), c.sentUnder(), uint64(n)))
		}
	}
	s.creditSession()
}

// sentUnder returns the number under which the peer sends.
func (c *Channel) sentUnder() uint32 {
	if c.theirs != 0 {
		return c.theirs
	}
	return c.number
}

// uncount takes cost, of messages of in, out of the reserve and the session's window. The reserve comes first, for it is what
// the channel goes on with when the window is full.
func (s *Session) uncount(in *receiver, cost int) {
	back := min(int32(cost), in.reserved)
	in.reserved -= back
	s.window.reserved -= int(back)
	s.window.used -= cost - int(back)
}

// creditSession gives the peer credit in the session, or GRANTs if the window is full. While messages that nobody takes hold
// a part of the window, the rest counts as the whole of it: small amounts are returned then, too.
func (s *Session) creditSession() {
	w := &s.window
	least := min(s.windowSize()/4, max((s.windowSize()-w.used)/4, minPiece(s.windowSize()), minCredit))
	if n := s.windowSize() - w.credit - w.used; n >= least {
		w.credit += n
		s.write(muxframe.AppendWindow(s.tail(muxframe.MaxControl), 0, uint64(n)))
		return
	}
	if s.grantable.used+s.awaited.used > 0 && w.credit-muxframe.Overhead < minPiece(s.windowSize()) {
		s.grant()
	}
}

// grant gives GRANTs to incomplete messages.
func (s *Session) grant() {
	w := &s.window
	for {
		none := w.exempt == 0 && s.granted == 0
		left := s.granted == 0 && w.exempt <= s.windowSize() // readers that waited have gone, and left their messages
		c := s.awaited.front()
		if c == nil && none {
			c = s.grantable.front()
		}
		if c == nil {
			return
		}
		in := &c.in
		n := s.grantFor(len(in.partial))
		if !none && !left && int64(w.exempt)+s.granted+n > s.maxExempt() {
			return
		}
		in.granted, in.hasGrant = int(n), true
		s.granted += n
		s.sortPartial(c)
		s.write(muxframe.AppendGrant(s.tail(muxframe.MaxControl), c.sentUnder(), in.messages, uint64(n)))
	}
}

// grantFor returns the credit for the rest of a message of which have bytes are there, however the sender cuts it.
func (s *Session) grantFor(have int) int64 {
	most := int64(muxframe.MaxCredit)
	if m := int64(s.cfg.Ours.MaxMessage); m > 0 {
		most = m - int64(have)
	}
	most += (most/int64(minPiece(s.windowSize())) + 2) * muxframe.Overhead
	return min(most, muxframe.MaxCredit)
}

// maxExempt bounds what has come with GRANTs, and may still come. It may be exceeded by one message.
func (s *Session) maxExempt() int64 { return max(int64(s.windowSize()/2), 2*s.grantFor(0)) }

// endGrant ends the GRANT for the current message of a channel, if there is one.
func (s *Session) endGrant(in *receiver) {
	if in.hasGrant {
		s.granted -= int64(in.granted)
		in.granted, in.hasGrant = 0, false
	}
}

// sortPartial puts c among the channels that may be given a GRANT, or takes it from there. A message behind a complete one
// needs none: room is made when that one is taken.
func (s *Session) sortPartial(c *Channel) {
	in := &c.in
	can := in.midMessage && !in.partialVoid && !in.stopped && !in.hasGrant && !c.Ready()
	s.grantable.put(c, &in.grantable, can && !in.awaited)
	s.awaited.put(c, &in.grantableFirst, can && in.awaited)
}

// Await records whether a reader waits for a message of c.
func (s *Session) Await(c *Channel, waits bool) {
	if c.in.awaited == waits {
		return
	}
	if c.in.awaited = waits; !c.in.midMessage {
		return
	}
	if s.sortPartial(c); waits {
		s.creditSession()
	}
}

// windowShare limits the window of a channel to 1/windowShare of the session's. All windows together may grow by at most
// half of the session's window.
const windowShare = 8

// growWindow doubles the window of a channel whose messages are taken as fast as they come, if the window slows the peer
// down: a whole window was used up within four round trips. n is about to be credited.
func (s *Session) growWindow(c *Channel, n int) bool {
	in, now := &c.in, s.cfg.Watcher.Exact()
	if in.creditedSince == 0 {
		in.creditedSince, in.credited = now, 0
		if s.link.rtt == 0 {
			s.Ping(now)
		}
		return false
	}
	if in.credited += n; in.credited < in.window {
		return false
	}
	fast := s.link.rtt > 0 && now-in.creditedSince < 4*s.link.rtt
	in.creditedSince, in.credited = now, 0
	if !fast || in.window >= s.windowSize()/windowShare || s.extra+in.window > s.windowSize()/2 {
		return false
	}
	s.extra += in.window
	in.window *= 2
	return true
}

// minCredit is the least that a WINDOW of a conforming peer gives: a quarter of the smallest window.
const minCredit = 256

func (s *Session) gotWindow(f *muxframe.Frame, now int64) error {
	if f.N < minCredit {
		if err := s.budget.spend(now, 1); err != nil {
			return err
		}
	}
	if f.Channel == 0 {
		if err := addCredit(&s.credit, f.N); err != nil {
			return err
		}
		s.feed()
		s.fill(nil)
		return nil
	}
	c, err := s.channelOf(f.Channel)
	if err != nil {
		return err
	}
	switch {
	case c == nil:
		return s.budget.spendLate(now)
	case f.Flags&muxframe.Reserve != 0:
		return s.gotReserve(c, f.N)
	}
	if err := addCredit(&c.out.credit, f.N); err != nil {
		return err
	}
	s.wakeSender(c)
	return nil
}

// gotReserve adds n to the reserve of c, which never exceeds its first value.
func (s *Session) gotReserve(c *Channel, n uint64) error {
	if int64(n) > int64(s.cfg.Theirs.Reserve)-int64(c.out.reserve) {
		return muxframe.Broken("a reserve that is too large")
	}
	c.out.reserve += int32(n)
	s.sate(c)
	s.wakeSender(c)
	return nil
}

// addCredit adds n to a window. The sum is computed in 64 bits because a misbehaving peer could overflow an int of 32 bits.
func addCredit(credit *int, n uint64) error {
	sum := int64(*credit) + int64(n)
	if sum > muxframe.MaxCredit {
		return muxframe.Broken("a window that is too large")
	}
	*credit = int(sum)
	return nil
}

func (s *Session) gotGrant(f *muxframe.Frame, now int64) error {
	c, err := s.channelOf(f.Channel)
	if err != nil {
		return err
	}
	switch {
	case c == nil:
		return s.budget.spendLate(now)
	case f.M < c.out.grants || f.M > c.out.fins:
		return s.budget.spend(now, 1) // the second for its message, or for none
	}
	c.out.grants = f.M + 1
	if f.M == c.out.fins && c.out.midMessage { // else the message has ended meanwhile
		c.out.exempt = int(f.N)
		s.sate(c)
		s.wakeSender(c)
	}
	return nil
}

// wakeSender lets c send if it has waiting Sends.
func (s *Session) wakeSender(c *Channel) {
	if c.out.first != nil {
		s.sched.add(c)
		s.fill(nil)
	}
}
