package muxsession

// table has the channels of a session.
type table struct {
	names     map[string]*Channel
	numbers   map[uint32]*Channel // open channels, by our number and by the peer's
	outgoing  map[uint32]*Channel // by the number this side sends under, until the peer has acknowledged the end
	lastAcked *Channel            // cache: the channel of outgoing that was looked up last
}

func newTable() table {
	return table{names: map[string]*Channel{}, numbers: map[uint32]*Channel{}, outgoing: map[uint32]*Channel{}}
}

// empty reports whether there are no channels, nor ends of channels that the peer has not acknowledged.
func (t *table) empty() bool { return len(t.names)+len(t.numbers)+len(t.outgoing) == 0 }

// Named returns the channel with the given name, nil if there is none.
func (t *table) Named(name string) *Channel { return t.names[name] }

// Channels returns the number of channels.
func (t *table) Channels() int { return len(t.names) }

// Each calls f for each channel.
func (t *table) Each(f func(c *Channel)) {
	for _, c := range t.names {
		f(c)
	}
}

// Unacked calls f for each channel with messages that are not acknowledged.
func (t *table) Unacked(f func(name string, messages uint64)) {
	for _, c := range t.outgoing {
		if n := c.out.counts.sent - c.out.counts.acked - c.out.counts.voided; n > 0 {
			f(c.name, n)
		}
	}
}

// maxEnded is how many channels that are over are remembered until the peer has acknowledged their end. With a conforming
// peer the number stays far below this.
const maxEnded = 16 << 10

// endedFull reports whether that many are remembered, so that no further channel is to be opened.
func (t *table) endedFull() bool { return len(t.outgoing)-len(t.names) >= maxEnded }

// taken reports whether a number is in use.
func (t *table) taken(n uint32) bool { return t.numbers[n] != nil || t.outgoing[n] != nil }

// sending returns the channel that sends, or has sent, under the given number, nil if the peer knows that it is over.
func (t *table) sending(number uint32) *Channel {
	if c := t.lastAcked; c != nil && c.number == number {
		return c
	}
	c := t.outgoing[number]
	if c != nil {
		t.lastAcked = c
	}
	return c
}

// remove removes c. Its end is remembered until the peer has acknowledged it.
func (t *table) remove(c *Channel) {
	if t.names[c.name] == c {
		delete(t.names, c.name)
	}
	for _, n := range [...]uint32{c.number, c.theirs} {
		if t.numbers[n] == c {
			delete(t.numbers, n)
		}
	}
	if c.state.ours == oursAcked {
		t.forgetOutgoing(c)
	}
}

// forgetOutgoing removes c from outgoing: no frame of c needs to be acknowledged any more.
func (t *table) forgetOutgoing(c *Channel) {
	delete(t.outgoing, c.number)
	if t.lastAcked == c {
		t.lastAcked = nil
	}
}
