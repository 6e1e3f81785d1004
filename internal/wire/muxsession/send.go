package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Send is a message to be sent. It and P belong to the session until Session.Send returns true, Watcher.Sent is called, or
// Cancel returns true.
type Send struct {
	P     []byte
	Err   error // valid when the Send is done
	Owner any   // for the user of this package

	off  int
	next *Send
}

// backlog is how many unsent bytes the outbox may hold while there is a connection. Messages beyond it wait, and can still
// be reordered by priority.
const backlog = 256 << 10

// Send puts as much of a message into the outbox as windows and limits allow. It returns true if p is done; otherwise
// Watcher.Sent is called when it is. The caller has checked that the channel may send.
func (s *Session) Send(c *Channel, p *Send) (done bool) {
	if c.out.last != nil {
		c.out.last.next = p
	} else {
		c.out.first = p
	}
	c.out.last = p
	s.waitingSends++
	if c.out.first != p {
		return false
	}
	s.sched.add(c)
	s.fill(p)
	return c.out.first != p
}

// fill puts as much of the waiting messages into the outbox as possible. The Watcher is not called for the Send now.
func (s *Session) fill(now *Send) {
	for s.mayFill() {
		c := s.sched.next()
		if c == nil {
			if s.starving.used == 0 || !s.feed() {
				return
			}
			continue
		}
		if !s.sendPiece(c, now) {
			c.out.inTurn = true // as the scheduler must not take it
			s.starving.add(c, &c.out.starving)
		}
	}
}

// A channel starves while its first message waits for the session's window. The others do not wait behind it, as they may
// have a reserve, or a GRANT.

// feed returns starving channels to the scheduler, for as many pieces as the session's window has credit. It returns false if
// there is no credit for another piece.
func (s *Session) feed() (fed bool) {
	least := minPiece(int(s.cfg.Theirs.Session))
	for left := s.credit; left-muxframe.Overhead >= least; fed = true {
		c := s.starving.front()
		if c == nil {
			break
		}
		left -= min(least, len(c.out.first.P)-c.out.first.off) + muxframe.Overhead
		s.sate(c)
		s.sched.add(c)
	}
	return fed
}

// sate ends that c starves.
func (s *Session) sate(c *Channel) {
	if c.out.starving != 0 {
		s.starving.remove(&c.out.starving)
		c.out.inTurn = false
	}
}

// mayFill reports whether the outbox has room for a piece.
func (s *Session) mayFill() bool {
	kept := s.out.kept()
	return kept < s.cfg.Kept && (!s.link.up || s.out.unsent() < backlog)
}

// sendPiece puts a piece of c's first message into the outbox, and c back into its queue if there is more. It returns false
// if the session's window does not allow it, and c has no reserve left.
func (s *Session) sendPiece(c *Channel, now *Send) bool {
	p := c.out.first
	if p == nil {
		return true
	}
	n, flags := len(p.P)-p.off, muxframe.Fin
	if !c.windowAllows(n, int(s.cfg.Theirs.Window)) && c.out.exempt == 0 {
		return true // wait for a WINDOW of the channel
	}
	switch {
	case c.out.exempt > 0:
		if c.out.exempt <= muxframe.Overhead {
			c.out.exempt = 0
			s.sched.add(c)
			return true
		}
		n, flags = min(n, c.out.exempt-muxframe.Overhead), flags|muxframe.Exempt
	case enough(s.credit, n, int(s.cfg.Theirs.Session)):
		n = min(n, c.out.credit-muxframe.Overhead, s.credit-muxframe.Overhead)
	case enough(int(c.out.reserve), n, int(s.cfg.Theirs.Reserve)):
		n, flags = min(n, c.out.credit-muxframe.Overhead, int(c.out.reserve)-muxframe.Overhead), flags|muxframe.Reserve
	default:
		return false
	}
	small := len(p.P)-p.off <= maxSmall
	n = s.writePiece(c, p, n, flags)
	c.out.spend(s, n+muxframe.Overhead, flags)
	if small {
		s.sched.smallBytes += n
	}
	if p.off < len(p.P) {
		c.out.midMessage = true
		s.sched.add(c)
		return true
	}
	s.sentWhole(c, p, now)
	return true
}

// writePiece writes a DATA frame with up to n bytes of p, fewer if that fills a chunk. It returns how many.
func (s *Session) writePiece(c *Channel, p *Send, n int, flags muxframe.Flags) int {
	n = min(n, muxframe.MaxData)
	head := muxframe.DataHead(c.number, n)
	if left := s.out.roomLeft(); left < head+n && left > maxWaste+muxframe.MaxHead {
		n = left - muxframe.MaxHead
	}
	if p.off+n < len(p.P) {
		flags &^= muxframe.Fin
	}
	b := muxframe.AppendData(s.tail(muxframe.DataHead(c.number, n)+n), c.number, flags, n)
	s.write(append(b, p.P[p.off:p.off+n]...))
	p.off += n
	if flags&muxframe.Fin != 0 {
		c.out.fins++
	}
	return n
}

// spend takes the cost of a piece from the windows, the reserve or the GRANT.
func (h *sender) spend(s *Session, cost int, f muxframe.Flags) {
	switch {
	case f&muxframe.Exempt != 0:
		h.exempt -= cost
	case f&muxframe.Reserve != 0:
		h.credit -= cost
		h.reserve -= int32(cost)
	default:
		h.credit -= cost
		s.credit -= cost
	}
}

// sentWhole counts p, which is in the outbox as a whole.
func (s *Session) sentWhole(c *Channel, p *Send, now *Send) {
	c.out.sent++
	s.stats.Sent++
	s.stats.SentBytes += uint64(len(p.P))
	s.sendDone(c, p, now)
}

// sendDone removes p, the first Send of c. It ends the half or the session if that was waiting for p.
func (s *Session) sendDone(c *Channel, p *Send, now *Send) {
	c.out.exempt, c.out.midMessage = 0, false
	if c.out.first = p.next; c.out.first == nil {
		c.out.last = nil
		s.sate(c)
	}
	p.next = nil
	s.waitingSends--
	if p != now {
		s.cfg.Watcher.Sent(p)
	}
	if c.out.first != nil {
		s.sched.add(c)
	} else if c.out.ending != Open {
		s.endHalf(c)
	} else if s.goingAway {
		s.goAway()
	}
}

// enough reports whether a window with the given credit allows a piece to be sent of a message with n bytes left. The piece
// must be the whole rest or at least minPiece.
func enough(credit, n, window int) bool {
	return credit-muxframe.Overhead >= min(n, minPiece(window))
}

// minPiece is the smallest piece of a message that is sent before the window allows the rest.
func minPiece(window int) int { return min(4<<10, window/8) }

// windowAllows reports whether c's own window allows to send n bytes or a part of them.
func (c *Channel) windowAllows(n, window int) bool { return enough(c.out.credit, n, window) }

// Cancel takes p back. It returns false if p is already done. A message that was sent in part is not delivered.
func (s *Session) Cancel(c *Channel, p *Send) bool {
	if c.out.first == p {
		if p.off > 0 {
			s.voidRest(c)
		}
		s.sendDone(c, p, p)
		s.fill(nil) // there may be room for the next message
		return true
	}
	for q := c.out.first; q != nil; q = q.next {
		if q.next != p {
			continue
		}
		if q.next = p.next; p.next == nil {
			c.out.last = q
		}
		p.next = nil
		s.waitingSends--
		return true
	}
	return false
}

// voidRest ends the current message, of which a part is in the outbox, with VOID, so that it is not delivered.
func (s *Session) voidRest(c *Channel) {
	s.write(muxframe.AppendData(s.tail(muxframe.MaxControl), c.number, muxframe.Fin|muxframe.Void, 0))
	c.out.fins++
}

// failSends fails all waiting Sends of c.
func (s *Session) failSends(c *Channel, err error) {
	for c.out.first != nil {
		p := c.out.first
		c.out.first, p.next, p.Err = p.next, nil, err
		s.waitingSends--
		s.cfg.Watcher.Sent(p)
	}
	c.out.last = nil
	c.out.midMessage, c.out.exempt = false, 0
	s.sate(c)
}

// Fits reports whether a message of n bytes could be put into the outbox as a whole now.
func (s *Session) Fits(c *Channel, n int) bool {
	pieces := n/(muxframe.MaxData/2) + 2
	cost, size := n+pieces*muxframe.Overhead, n+pieces*muxframe.MaxHead
	return c.out.first == nil && s.sched.empty() && s.mayFill() && s.out.kept()+size <= s.cfg.Kept &&
		c.out.credit >= cost && (s.credit >= cost || int(c.out.reserve) >= cost) && (!s.link.up || s.out.unsent()+size <= backlog)
}

// Pending reports whether c has waiting Sends.
func (c *Channel) Pending() bool { return c.out.first != nil }
