package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// inflow is the receiving direction of a session: it puts messages into the inboxes of channels, and gives the peer credit for
// those that were taken.
//
// The session's window bounds what all channels hold together. When messages that nobody takes fill it, a channel whose
// messages are taken still goes on: its reserve holds a little beyond the session's window, and its peer uses that when the
// session's window is full. So a message begins, and a GRANT lets it become complete.
//
// An incomplete message does not count in its channel's window while the inbox is empty, because no Receive could make room.
// So it can become complete, however small the window is. It does count in the session's window or in the reserve. When the
// session's window is full, GRANTs let incomplete messages continue past it: those for which readers wait, as many at a time
// as fit into maxExempt; if there are none, the oldest other one.
type inflow struct {
	*shared
	window window
}

// window accounts for all that a session has received and that was not taken.
type window struct {
	credit   int // what the peer may still send
	used     int // cost of the messages that were not taken, whole or not, without what follows
	reserved int // the part of the cost that counts in the reserves of channels
	exempt   int // cost of what came with a GRANT, past the windows
}

var errWindow = muxframe.Broken("DATA of more than the window")

// windowSize returns the size of the session's receive window.
func (i *inflow) windowSize() int { return int(i.cfg.Ours.Session) }

// Buffered returns the cost of all that was received and not taken.
func (i *inflow) Buffered() int { return i.window.used + i.window.reserved + i.window.exempt }

// data acts on a DATA frame of c or a piece of one.
func (i *inflow) data(c *Channel, f *muxframe.Frame, now int64) error {
	in := &c.in
	cost := 0
	if f.Begins {
		var err error
		if cost, err = i.charge(c, f, now); err != nil {
			return err
		}
	}
	if !in.partial.arriving() && f.Begins && f.Ends && f.Flags&(muxframe.Fin|muxframe.Exempt|muxframe.Void) == muxframe.Fin &&
		len(f.Payload) <= maxPacked && !c.state.stopped {
		in.messages++
		in.used += cost
		in.inbox.add(i.cfg.Memory, f.Payload, cost)
		i.gotMessage(c, len(f.Payload))
		if i.partials > 0 {
			i.creditSession() // an incomplete message may need a GRANT now
		}
		return nil
	}
	i.addPiece(c, f, cost)
	return nil
}

// lateData drops data for a channel that is over on this side. The peer may have sent it before it knew.
func (i *inflow) lateData(f *muxframe.Frame, now int64) error {
	if !f.Begins {
		return nil
	}
	if !i.numbering.wasUsed(f.Channel) {
		return muxframe.Broken("DATA in a channel that was never opened")
	}
	cost := f.Length + muxframe.Overhead
	if f.Flags&muxframe.Reserve != 0 {
		return i.budget.spendLateReserve(now, cost)
	}
	if f.Flags&muxframe.Exempt == 0 && (f.Length > 0 || f.Flags&muxframe.Void == 0) {
		if i.window.credit < cost {
			return errWindow
		}
		i.window.credit -= cost
		i.creditSession()
		return nil // the window bounds it; the peer may have sent a whole window before it knew
	}
	return i.budget.spend(now, 1)
}

// charge takes the cost of a DATA frame from the windows when the frame begins.
func (i *inflow) charge(c *Channel, f *muxframe.Frame, now int64) (cost int, err error) {
	in, w := &c.in, &i.window
	switch {
	case c.Ended() || i.PeerGone():
		return 0, muxframe.Broken("DATA after the end of the channel")
	case f.Length == 0 && f.Flags&muxframe.Void != 0:
		return 0, i.budget.spend(now, 1)
	case i.cfg.Ours.MaxMessage > 0 && len(in.partial.b)+f.Length > int(i.cfg.Ours.MaxMessage):
		return 0, muxframe.Broken("a message larger than the limit")
	}
	cost = f.Length + muxframe.Overhead
	if f.Flags&muxframe.Exempt != 0 {
		if in.partial.granted < cost {
			return 0, muxframe.Broken("DATA of more than the grant")
		}
		in.partial.granted -= cost
		i.granted -= int64(cost)
		in.partial.exempt += cost
		w.exempt += cost
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
		w.reserved += cost
	} else {
		if w.credit < cost {
			return 0, errWindow
		}
		w.credit -= cost
		w.used += cost
	}
	in.credit -= cost
	return cost, nil
}

// gotMessage counts a message that was put into c's inbox and calls the Watcher.
func (i *inflow) gotMessage(c *Channel, n int) {
	c.in.readerBuf = nil // the waiting reader takes this message
	c.in.received++
	i.stats.Received++
	i.stats.ReceivedBytes += uint64(n)
	i.watcher.Readable(c)
}

// uncount takes cost, of messages of in, out of the reserve and the session's window. The reserve comes first, for it is what
// the channel goes on with when the window is full.
func (i *inflow) uncount(in *receiver, cost, exempt int) {
	back := min(int32(cost), in.reserved)
	in.reserved -= back
	i.window.reserved -= int(back)
	i.window.used -= cost - int(back)
	i.window.exempt -= exempt
}
