package muxsession

// Channel is one side of a channel. The zero Channel is passed to Open, or returned by Watcher.Announced.
//
//	        we open             both halves have ended, or one side has reset it
//	new ─┬────────► open ──────────────────────────────────────────────► over
//	     └────────►  ▲
//	      the peer   └ with the peer's OPEN of the same name: still one channel
type Channel struct {
	Owner any // for the user of this package

	name       string
	number     uint32 // the number this side sends under: its own if it has opened the channel
	theirs     uint32 // the number the peer sends under if it has opened the channel, too; else 0
	opened     bool   // this side has opened it, or claimed it
	atMostOnce bool   // messages that may have been lost are not sent again

	state state
	out   sender
	in    receiver
	next  *Channel // in a queue of the scheduler
}

// Name returns the channel's name.
func (c *Channel) Name() string { return c.name }

// Opened reports whether this side has opened the channel.
func (c *Channel) Opened() bool { return c.opened }

// Claim records that this side opens the channel, which the peer has opened already. Nothing is sent.
func (c *Channel) Claim() { c.opened = true }

// Over reports whether the channel is over on this side.
func (c *Channel) Over() bool { return c.state.over }

// WasReset returns how the channel was reset, nil if it was not.
func (c *Channel) WasReset() *Reset { return c.state.reset }

// Ending returns how our half ends, or has ended.
func (c *Channel) Ending() Ending { return c.state.ending() }

// Ended reports whether the peer has ended its half. The inbox may still hold messages.
func (c *Channel) Ended() bool { return c.state.theirs >= theirsEnded }

// PeerStopped reports whether the peer receives nothing more.
func (c *Channel) PeerStopped() bool { return c.state.theirs == theirsStopped }

// Sent returns how many messages are in the outbox or have left it, as a whole.
func (c *Channel) Sent() uint64 { return c.out.counts.sent }

// Acked returns how many of them the peer's session has received.
func (c *Channel) Acked() uint64 { return c.out.counts.acked }

// Voided returns how many of them were dropped on their way.
func (c *Channel) Voided() uint64 { return c.out.counts.voided }

// Written returns how many messages have their last frame in the outbox or have left it. Unlike Sent it counts messages that
// were cancelled half-way.
func (c *Channel) Written() uint64 { return c.out.counts.fins }

// Settled returns how many of these frames the peer has received: each such message has arrived or was dropped.
func (c *Channel) Settled() uint64 { return c.out.counts.finsAcked }

// Pending reports whether c has waiting Sends.
func (c *Channel) Pending() bool { return c.out.first != nil }

// SetClass sets the class of later messages.
func (c *Channel) SetClass(k Class) { c.out.class = k }

// Received returns how many messages have been received as a whole.
func (c *Channel) Received() uint64 { return c.in.received }

// Buffered returns the cost of the messages that were not taken yet, including a partial one.
func (c *Channel) Buffered() int { return c.in.used + c.in.partial.cost }

// Window returns the size of the receive window.
func (c *Channel) Window() int { return c.in.window }

// Ready reports whether there is a message in c's inbox.
func (c *Channel) Ready() bool { return c.in.inbox.messages > 0 }

// Next returns the length of the next message. There must be one.
func (c *Channel) Next() int {
	p, _, _, _ := c.in.inbox.next()
	return len(p)
}

// used reports whether a message has been sent in the channel, in either direction.
func (c *Channel) used() bool { return c.in.messages > 0 || c.out.counts.sent > 0 }

// sentUnder returns the number under which the peer sends.
func (c *Channel) sentUnder() uint32 {
	if c.theirs != 0 {
		return c.theirs
	}
	return c.number
}
