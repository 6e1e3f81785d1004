package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// Send is a message on its way into the outbox. It and P belong to the session until Session.Send returns true, the Watcher
// is told, or Cancel returns true.
type Send struct {
	P     []byte
	Err   error // of one that is done
	Owner any   // the user's

	off  int
	next *Send
}

// backlog is how much may wait for the connection in the outbox: what comes behind it can still be put in order.
const backlog = 256 << 10

// Send puts a message into the outbox, or as much of it as may be. It returns true when p is done, with p.Err; otherwise the
// Watcher is told when it is. The caller has seen that the channel may send.
func (s *Session) Send(c *Channel, p *Send) (done bool) {
	if c.out.last != nil {
		c.out.last.next = p
	} else {
		c.out.first = p
	}
	c.out.last = p
	s.waiting++
	if c.out.first != p {
		return false
	}
	s.turn.enter(c)
	s.fill(p)
	return c.out.first != p
}

// fill puts as much into the outbox of what waits as may be. now is a Send of which the Watcher need not be told.
func (s *Session) fill(now *Send) {
	for s.mayFill() {
		if c := s.exempted; c != nil { // it needs nothing of the session's window
			if c.out.first != nil && c.out.exempt > muxframe.Overhead {
				s.piece(c, now)
				continue
			}
			s.exempted = nil
		}
		c := s.turn.next()
		if c == nil {
			return
		}
		if !s.piece(c, now) {
			s.turn.enter(c) // the session's window is what it waits for
			return
		}
	}
}

// mayFill reports whether there is room for a piece.
func (s *Session) mayFill() bool {
	kept := s.out.kept()
	return kept < s.cfg.Kept && (!s.link.up || s.out.unsent() < backlog)
}

// piece puts a piece of c's message into the outbox and c back into its queue if there is more. It returns false when the
// session's window has too little left.
func (s *Session) piece(c *Channel, now *Send) bool {
	p := c.out.first
	if p == nil {
		return true
	}
	n, flags := len(p.P)-p.off, muxframe.Fin
	if !c.ready(n, int(s.cfg.Theirs.Window)) && c.out.exempt == 0 {
		return true // until there is a WINDOW
	}
	switch {
	case c.out.exempt > 0:
		if c.out.exempt <= muxframe.Overhead {
			c.out.exempt = 0
			s.turn.enter(c)
			return true
		}
		n, flags = min(n, c.out.exempt-muxframe.Overhead), flags|muxframe.Exempt
	case !enough(s.credit, n, int(s.cfg.Theirs.Session)):
		return false
	default:
		n = min(n, c.out.credit-muxframe.Overhead, s.credit-muxframe.Overhead)
	}
	small := len(p.P)-p.off <= smallMost
	n = s.writePiece(c, p, n, flags)
	c.out.spend(s, n+muxframe.Overhead, flags)
	if small {
		s.turn.passed += n
	}
	if p.off < len(p.P) {
		c.out.tail = true
		s.turn.enter(c)
		return true
	}
	s.sentWhole(c, p, now)
	return true
}

// writePiece writes a DATA frame with up to n bytes of p, as many as fit its chunk.
func (s *Session) writePiece(c *Channel, p *Send, n int, flags muxframe.Flags) int {
	n = min(n, muxframe.MaxData)
	head := muxframe.DataHead(c.number, n)
	if left := s.out.left(); left < head+n && left > waste+muxframe.MaxHead {
		n = left - muxframe.MaxHead
	}
	if p.off+n < len(p.P) {
		flags &^= muxframe.Fin
	}
	k := s.out.room(muxframe.DataHead(c.number, n) + n)
	b := muxframe.AppendData(k.b, c.number, flags, n)
	s.out.wrote(k, append(b, p.P[p.off:p.off+n]...))
	p.off += n
	if flags&muxframe.Fin != 0 {
		c.out.fins++
	}
	return n
}

// spend takes what a piece counts for from the windows.
func (h *half) spend(s *Session, cost int, f muxframe.Flags) {
	if f&muxframe.Exempt != 0 {
		h.exempt -= cost
		return
	}
	h.credit -= cost
	s.credit -= cost
}

// sentWhole says that the whole of p is in the outbox.
func (s *Session) sentWhole(c *Channel, p *Send, now *Send) {
	c.out.sent++
	s.stats.Sent++
	s.stats.SentBytes += uint64(len(p.P))
	s.done(c, p, now)
}

// done takes p, the first of c, out of it.
func (s *Session) done(c *Channel, p *Send, now *Send) {
	c.out.exempt, c.out.tail = 0, false
	if c.out.first = p.next; c.out.first == nil {
		c.out.last = nil
	}
	p.next = nil
	s.waiting--
	if p != now {
		s.cfg.Watcher.Sent(p)
	}
	if c.out.first != nil {
		s.turn.enter(c)
	} else if c.out.ending != Open {
		s.end(c)
	} else if s.goingAway {
		s.goAway()
	}
}

// enough reports whether a window with so much credit lets a piece of a message leave of which n bytes are left: all of it, or
// so much that it is worth a frame.
func enough(credit, n, window int) bool {
	return credit-muxframe.Overhead >= min(n, least(window))
}

// least is the smallest piece of a message with which a window is waited for no longer.
func least(window int) int { return min(4<<10, window/8) }

// ready reports whether c's own window lets n bytes leave, or a part of them.
func (c *Channel) ready(n, window int) bool { return enough(c.out.credit, n, window) }

// Cancel takes p back. It returns false if p is done already. A message of which a part has left is not delivered.
func (s *Session) Cancel(c *Channel, p *Send) bool {
	if c.out.first == p {
		if p.off > 0 {
			s.voidRest(c)
		}
		s.done(c, p, p)
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
		s.waiting--
		return true
	}
	return false
}

// voidRest ends the message in hand, of which a part has been written, so that it is not delivered.
func (s *Session) voidRest(c *Channel) {
	s.write(muxframe.AppendData(s.scratch[:0], c.number, muxframe.Fin|muxframe.Void, 0))
	c.out.fins++
}

// failSends has everything fail that waits in c.
func (s *Session) failSends(c *Channel, err error) {
	for c.out.first != nil {
		p := c.out.first
		c.out.first, p.next, p.Err = p.next, nil, err
		s.waiting--
		s.cfg.Watcher.Sent(p)
	}
	c.out.last = nil
	c.out.tail, c.out.exempt = false, 0
}

// Fits reports whether a message of n bytes could be put into the outbox now, in however many pieces.
func (s *Session) Fits(c *Channel, n int) bool {
	pieces := n/(muxframe.MaxData/2) + 2
	cost, size := n+pieces*muxframe.Overhead, n+pieces*muxframe.MaxHead
	return c.out.first == nil && s.turn.empty() && s.mayFill() && s.out.kept()+size <= s.cfg.Kept &&
		c.out.credit >= cost && s.credit >= cost && (!s.link.up || s.out.unsent()+size <= backlog)
}

// Pending reports whether messages wait in c.
func (c *Channel) Pending() bool { return c.out.first != nil }
