package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// creditChannel gives the peer credit in c, and in the session, for what no longer counts.
func (i *inflow) creditChannel(c *Channel) {
	if in := &c.in; !c.Ended() && !c.state.over {
		used := in.used
		if used > 0 {
			used += in.partial.cost
		}
		if n := in.window - in.credit - used; n >= in.window/2 {
			if !c.state.stopped && i.growWindow(in, n) {
				n = in.window - in.credit - used
			}
			in.credit += n
			i.write(muxframe.AppendWindow(i.tail(muxframe.MaxControl), c.sentUnder(), uint64(n)))
		}
		if n := int32(i.cfg.Ours.Reserve) - in.reserve - in.reserved; n > 0 && n >= int32(i.cfg.Ours.Reserve)/2 {
			in.reserve += n
			i.write(muxframe.AppendReserve(i.tail(muxframe.MaxControl), c.sentUnder(), uint64(n)))
		}
	}
	i.creditSession()
}

// minCredit is the least that a WINDOW of a conforming peer gives: a quarter of the smallest window.
const minCredit = 256

// creditSession gives the peer credit in the session, or GRANTs if the window is full. While messages that nobody takes hold
// a part of the window, the rest counts as the whole of it: small amounts are returned then, too.
func (i *inflow) creditSession() {
	w, size := &i.window, i.windowSize()
	least := min(size/4, max((size-w.used)/4, minPiece(size), minCredit))
	if n := size - w.credit - w.used; n >= least {
		w.credit += n
		i.write(muxframe.AppendWindow(i.tail(muxframe.MaxControl), 0, uint64(n)))
		return
	}
	if i.grants.any() && w.credit-muxframe.Overhead < minPiece(size) {
		i.grant()
	}
}

// grant gives GRANTs to incomplete messages.
func (i *inflow) grant() {
	w := &i.window
	for {
		none := w.exempt == 0 && i.granted == 0
		left := i.granted == 0 && w.exempt <= i.windowSize() // readers that waited have gone, and left their messages
		c := i.awaited.front()
		if c == nil && none {
			c = i.grantable.front()
		}
		if c == nil {
			return
		}
		in := &c.in
		n := i.grantFor(len(in.partial.b))
		if !none && !left && int64(w.exempt)+i.granted+n > i.maxExempt() {
			return
		}
		in.partial.granted, in.partial.hasGrant = int(n), true
		i.granted += n
		i.sort(c)
		i.write(muxframe.AppendGrant(i.tail(muxframe.MaxControl), c.sentUnder(), in.messages, uint64(n)))
	}
}

// grantFor returns the credit for the rest of a message, when the given number of bytes is there, however the sender cuts it.
func (i *inflow) grantFor(have int) int64 {
	most := int64(muxframe.MaxCredit)
	if m := int64(i.cfg.Ours.MaxMessage); m > 0 {
		most = m - int64(have)
	}
	most += (most/int64(minPiece(i.windowSize())) + 2) * muxframe.Overhead
	return min(most, muxframe.MaxCredit)
}

// maxExempt bounds what has come with GRANTs, and may still come. It may be exceeded by one message.
func (i *inflow) maxExempt() int64 { return max(int64(i.windowSize()/2), 2*i.grantFor(0)) }

// windowShare limits the window of a channel to 1/windowShare of the session's. All windows together may grow by at most
// half of the session's window.
const windowShare = 8

// growWindow doubles the window of a channel whose messages are taken as fast as they come, if the window slows the peer
// down: a whole window was used up within four round trips. n is about to be credited.
func (i *inflow) growWindow(in *receiver, n int) bool {
	now := i.watcher.Exact()
	if in.creditedSince == 0 {
		in.creditedSince, in.credited = now, 0
		if i.rtt == 0 {
			i.Ping()
		}
		return false
	}
	if in.credited += n; in.credited < in.window {
		return false
	}
	fast := i.rtt > 0 && now-in.creditedSince < 4*i.rtt
	in.creditedSince, in.credited = now, 0
	if !fast || in.window >= i.windowSize()/windowShare || i.extra+in.window > i.windowSize()/2 {
		return false
	}
	i.extra += in.window
	in.window *= 2
	return true
}

// shrinkWindow takes back what the window of a channel that is over has grown.
func (i *inflow) shrinkWindow(in *receiver) {
	i.extra -= in.window - int(i.cfg.Ours.Window)
	in.window = int(i.cfg.Ours.Window)
}
