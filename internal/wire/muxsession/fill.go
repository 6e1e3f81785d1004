package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// fill puts as much of the waiting messages into the outbox as possible. The Watcher is not called for the Send now.
func (o *outflow) fill(now *Send) {
	for o.mayFill() {
		c := o.sched.next()
		if c == nil {
			if o.starving.used == 0 || !o.feed() {
				return
			}
			continue
		}
		if !o.sendPiece(c, now) {
			o.starving.add(c, &c.out.starving)
		}
	}
}

// mayFill reports whether the outbox has room for a piece.
func (o *outflow) mayFill() bool {
	kept := o.out.kept()
	return kept < o.cfg.Kept && (!o.Connected() || o.out.unsent() < backlog)
}

// A channel starves while its first message waits for the session's window. The others do not wait behind it, as they may
// have a reserve, or a GRANT.

// feed returns starving channels to the scheduler, for as many pieces as the session's window has credit. It returns false if
// there is no credit for another piece.
func (o *outflow) feed() (fed bool) {
	least := minPiece(int(o.theirs.session))
	for rest := o.credit; rest-muxframe.Overhead >= least; fed = true {
		c := o.starving.front()
		if c == nil {
			break
		}
		rest -= min(least, c.out.first.left()) + muxframe.Overhead
		o.sate(c)
		o.sched.add(c)
	}
	return fed
}

// sate ends that c starves.
func (o *outflow) sate(c *Channel) {
	if c.out.starving != 0 {
		o.starving.remove(&c.out.starving)
	}
}

// wake lets c send if it has waiting Sends.
func (o *outflow) wake(c *Channel) {
	if c.out.first != nil {
		o.sched.add(c)
		o.fill(nil)
	}
}

// sendPiece puts a piece of c's first message into the outbox, and c back into its queue if there is more. It returns false
// if the session's window does not allow it, and c has no reserve left.
func (o *outflow) sendPiece(c *Channel, now *Send) bool {
	h, p := &c.out, c.out.first
	if p == nil {
		return true
	}
	n, flags := p.left(), muxframe.Fin
	if !enough(h.credit, n, int(o.theirs.window)) && h.exempt == 0 {
		return true // wait for a WINDOW of the channel
	}
	switch {
	case h.exempt > 0:
		if h.exempt <= muxframe.Overhead {
			h.exempt = 0
			o.sched.add(c)
			return true
		}
		n, flags = min(n, h.exempt-muxframe.Overhead), flags|muxframe.Exempt
	case enough(o.credit, n, int(o.theirs.session)):
		n = min(n, h.credit-muxframe.Overhead, o.credit-muxframe.Overhead)
	case enough(int(h.reserve), n, int(o.theirs.reserve)):
		n, flags = min(n, h.credit-muxframe.Overhead, int(h.reserve)-muxframe.Overhead), flags|muxframe.Reserve
	default:
		return false
	}
	small := p.left() <= maxSmall
	n = o.writePiece(c, p, n, flags)
	o.spend(h, n+muxframe.Overhead, flags)
	if small {
		o.sched.smallBytes += n
	}
	if p.left() > 0 {
		o.sched.add(c)
		return true
	}
	o.sentWhole(c, p, now)
	return true
}

// writePiece writes a DATA frame with up to n bytes of p, fewer if that fills a chunk. It returns how many.
func (o *outflow) writePiece(c *Channel, p *Send, n int, flags muxframe.Flags) int {
	n = min(n, muxframe.MaxData)
	head := muxframe.DataHead(c.number, n)
	if room := o.out.roomLeft(); room < head+n && room > maxWaste+muxframe.MaxHead {
		n = room - muxframe.MaxHead
	}
	if p.off+n < len(p.P) {
		flags &^= muxframe.Fin
	}
	b := muxframe.AppendData(o.tail(muxframe.DataHead(c.number, n)+n), c.number, flags, n)
	o.write(append(b, p.P[p.off:p.off+n]...))
	p.off += n
	if flags&muxframe.Fin != 0 {
		c.out.counts.fins++
	}
	return n
}

// spend takes the cost of a piece of h from the windows, the reserve or the GRANT.
func (o *outflow) spend(h *sender, cost int, f muxframe.Flags) {
	switch {
	case f&muxframe.Exempt != 0:
		h.exempt -= cost
	case f&muxframe.Reserve != 0:
		h.credit -= cost
		h.reserve -= int32(cost)
	default:
		h.credit -= cost
		o.credit -= cost
	}
}
