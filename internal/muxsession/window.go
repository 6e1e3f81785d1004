package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// window is the account of all that a session has received and nobody has taken.
type window struct {
	size   int
	credit int // that the peer may still send
	used   int // by messages that have not been taken, whole or not
	exempt int // by what came past the windows
	extra  int // what channels have been given beyond their first windows
}

// A message that is not whole does not count in its channel's window while nothing that is whole waits before it: its
// receiver could not make room by taking it. So it comes in whole, however small the window is. In the session's window it
// counts. When that is full of such messages a GRANT lets the oldest of them come in past it, one at a time.

// regrantChannel gives the peer credit in c, and in the session, for what no longer counts.
func (s *Session) regrantChannel(c *Channel, now int64) {
	in := &c.in
	if !in.ended && !c.over {
		used := in.used
		if used > 0 {
			used += in.partCost
		}
		if n := in.window - in.credit - used; n >= in.window/2 {
			if !in.deaf && s.tune(c, n, now) {
				n = in.window - in.credit - used
			}
			in.credit += n
			number := c.number
			if c.theirs != 0 {
				number = c.theirs
			}
			s.write(muxframe.AppendWindow(s.scratch[:0], number, uint64(n)))
		}
	}
	s.regrant()
}

// regrant gives the peer credit in the session.
func (s *Session) regrant() {
	w := &s.window
	if n := w.size - w.credit - w.used; n >= w.size/4 {
		w.credit += n
		s.write(muxframe.AppendWindow(s.scratch[:0], 0, uint64(n)))
		return
	}
	if s.granted == nil && w.exempt == 0 && w.credit-muxframe.Overhead < least(w.size) {
		s.grant()
	}
}

// grant lets the oldest message come in that is not whole and has nothing before it.
func (s *Session) grant() {
	if s.gathering == 0 {
		return
	}
	var oldest *Channel
	for _, c := range s.names {
		if c.in.got && !c.in.partVoid && !c.Ready() && (oldest == nil || c.in.order < oldest.in.order) {
			oldest = c
		}
	}
	if oldest == nil {
		return
	}
	in := &oldest.in
	most := int64(muxframe.MaxCredit)
	if m := int64(s.cfg.Ours.MaxMessage); m > 0 {
		most = m - int64(len(in.part))
	}
	most += (most/int64(least(s.window.size)) + 2) * muxframe.Overhead
	in.granted = int(min(most, muxframe.MaxCredit))
	s.granted = oldest
	number := oldest.number
	if oldest.theirs != 0 {
		number = oldest.theirs
	}
	s.write(muxframe.AppendGrant(s.scratch[:0], number, in.messages, uint64(in.granted)))
}

// mostWindow is how large a channel's window may become, as a share of the session's; all that channels have been given
// beyond their first windows together is no more than half of that.
const mostWindow = 8

// tune doubles the window of a channel whose messages are taken as fast as they come, if it keeps the peer waiting: a whole
// window is used up within four times the way there and back. n is about to be credited.
func (s *Session) tune(c *Channel, n int, now int64) bool {
	in := &c.in
	if in.mark == 0 {
		in.mark, in.earned = now, 0
		if s.link.rtt == 0 {
			s.Ping(now)
		}
		return false
	}
	if in.earned += n; in.earned < in.window {
		return false
	}
	fast := s.link.rtt > 0 && now-in.mark < 4*s.link.rtt
	in.mark, in.earned = now, 0
	if !fast || in.window >= s.window.size/mostWindow || s.window.extra+in.window > s.window.size/2 {
		return false
	}
	s.window.extra += in.window
	in.window *= 2
	return true
}

// leastCredit is what a WINDOW gives at least whose sender keeps to the rules: a quarter of the smallest window.
const leastCredit = 256

func (s *Session) gotWindow(f *muxframe.Frame, now int64) error {
	if f.N < leastCredit {
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
	if c == nil {
		return err
	}
	if err := addCredit(&c.out.credit, f.N); err != nil {
		return err
	}
	s.wakeSender(c)
	return nil
}

// addCredit adds to what may be sent, which an int of 32 bits can hold only as long as the peer keeps to the rules.
func addCredit(credit *int, n uint64) error {
	sum := int64(*credit) + int64(n)
	if sum > muxframe.MaxCredit {
		return muxframe.Broken("a window that cannot be")
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
	if f.M == c.out.fins && c.out.tail {
		c.out.exempt, s.exempted = int(f.N), c
		s.wakeSender(c)
	}
	return nil
}

// wakeSender has c take its turn if something waits in it.
func (s *Session) wakeSender(c *Channel) {
	if c.out.first != nil {
		s.turn.enter(c)
		s.fill(nil)
	}
}
