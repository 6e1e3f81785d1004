package http2

// A stream above MaxStreams is the peer's fault only if the peer could know. It does not know of MaxStreams before it has
// seen our SETTINGS, nor of owners that go on with requests which it has cancelled, long after they had begun.

// earlyStreams is how many streams a peer may open at once before it has acknowledged our SETTINGS: RFC 9113 §6.5.2 sets no
// limit then.
const earlyStreams = 500

// fewRefused is how many refusals are no reason to ask what the peer has seen.
const fewRefused = 32

// chargeRefused charges for a stream that is refused if there is no room for it by the peer's own count either: of the
// streams that have not ended, and those whose refusal it may not have seen, with which it may be two round trips behind.
// Streams that it has cancelled at once count as well.
func (c *Conn) chargeRefused() {
	c.allowBody()
	most, unseen := int64(c.cfg.MaxStreams), int64(c.debts.refused.total())
	open := int64(c.active) + int64(c.hasty)
	room := open < most && unseen < 4*max(most, fewRefused)
	if c.state&connAcked == 0 {
		room = open+unseen < max(most, earlyStreams)
	}
	if !room {
		c.charge(costRefused)
	}
	c.debts.refused.add(1, maxWindow)
	if unseen >= max(most, fewRefused) {
		c.askProof()
	}
}
