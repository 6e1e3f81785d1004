package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// addPiece adds a piece to a message that is large or comes in pieces.
func (i *inflow) addPiece(c *Channel, f *muxframe.Frame, cost int) {
	in, p := &c.in, &c.in.partial
	if !p.arriving() && f.Begins {
		p.phase = partialKept
		i.partials++
	}
	p.cost += cost
	if f.Flags&muxframe.Void != 0 {
		p.phase = partialVoid
	}
	void := p.phase == partialVoid
	if void || c.state.stopped {
		i.dropPiece(c)
	} else {
		in.append(i.cfg.Memory, f.Payload)
	}
	if f.Ends && f.Flags&muxframe.Fin != 0 {
		i.wholeMessage(c)
	} else {
		i.sort(c)
	}
	if cost > 0 || void || !p.arriving() {
		i.creditChannel(c)
	}
}

// wholeMessage ends a message that came in pieces and puts it into the inbox.
func (i *inflow) wholeMessage(c *Channel) {
	in := &c.in
	p := in.partial
	in.messages++
	i.partials--
	i.grants.end(in)
	in.partial = partial{}
	i.sort(c)
	if p.phase == partialVoid || c.state.stopped {
		i.uncount(in, p.cost, p.exempt)
		p.release(i.cfg.Memory)
		return
	}
	in.used += p.cost
	n := len(p.b)
	if p.exempt == 0 && n <= maxPacked {
		in.inbox.add(i.cfg.Memory, p.b, p.cost)
		p.release(i.cfg.Memory)
	} else {
		in.inbox.addAlone(p.b, p.cost, p.exempt, p.readerOwned)
	}
	i.gotMessage(c, n)
}

// dropPiece drops the received part of a message that will not be delivered.
func (i *inflow) dropPiece(c *Channel) {
	p := &c.in.partial
	p.release(i.cfg.Memory)
	i.uncount(&c.in, p.cost, p.exempt)
	p.cost, p.exempt = 0, 0
}

// abandon drops the current message of a channel that is over.
func (i *inflow) abandon(c *Channel) {
	i.dropPiece(c)
	if c.in.partial.arriving() {
		i.partials--
	}
	c.in.partial.phase = partialNone
	i.grants.end(&c.in)
	i.sort(c)
}
