package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// window accounts for all that a session has received and that was not taken.
type window struct {
	size   int
	credit int // what the peer may still send
	used   int // cost of the messages that were not taken, whole or not
	exempt int // cost of what came with a GRANT, past the windows
	extra  int // how much the windows of channels have grown in all
}

// An incomplete message does not count in its channel's window while the inbox is empty, because no Receive could make room.
// So it can become complete, however small the window is. It does count in the session's window. When that window is full of
// incomplete messages, a GRANT lets the oldest of them continue past it, one at a time.

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
			number := c.number
			if c.theirs != 0 {
				number = c.theirs
			}
			s.write(muxframe.AppendWindow(s.tail(muxframe.MaxControl), number, uint64(n)))
		}
	}
	s.creditSession()
}

// creditSession gives the peer credit in the session, or a GRANT if the window is full of incomplete messages.
func (s *Session) creditSession() {
	w := &s.window
	if n := w.size - w.credit - w.used; n >= w.size/4 {
		w.credit += n
		s.write(muxframe.AppendWindow(s.tail(muxframe.MaxControl), 0, uint64(n)))
		return
	}
	if s.grantedChannel == nil && w.exempt == 0 && w.credit-muxframe.Overhead < minPiece(w.size) {
		s.grant()
	}
}

// grant gives a GRANT to the oldest incomplete message of a channel whose inbox is empty.
func (s *Session) grant() {
	if s.partials == 0 {
		return
	}
	var oldest *Channel
	for _, c := range s.names {
		if c.in.midMessage && !c.in.partialVoid && !c.Ready() && (oldest == nil || c.in.order < oldest.in.order) {
			oldest = c
		}
	}
	if oldest == nil {
		return
	}
	in := &oldest.in
	most := int64(muxframe.MaxCredit)
	if m := int64(s.cfg.Ours.MaxMessage); m > 0 {
		most = m - int64(len(in.partial))
	}
	most += (most/int64(minPiece(s.window.size)) + 2) * muxframe.Overhead
	in.granted = int(min(most, muxframe.MaxCredit))
	s.grantedChannel = oldest
	number := oldest.number
	if oldest.theirs != 0 {
		number = oldest.theirs
	}
	s.write(muxframe.AppendGrant(s.tail(muxframe.MaxControl), number, in.messages, uint64(in.granted)))
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
	if !fast || in.window >= s.window.size/windowShare || s.window.extra+in.window > s.window.size/2 {
		return false
	}
	s.window.extra += in.window
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
		s.fill(nil)
		return nil
	}
	c, err := s.channelOf(f.Channel)
	if err != nil {
		return err
	}
	if c == nil {
		return s.budget.spendLate(now)
	}
	if err := addCredit(&c.out.credit, f.N); err != nil {
		return err
	}
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
	if err := s.budget.spend(now, 1); err != nil {
		return err
	}
	c, err := s.channelOf(f.Channel)
	if c == nil {
		return err
	}
	if f.M == c.out.fins && c.out.midMessage {
		c.out.exempt, s.exemptChannel = int(f.N), c
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
