package http2

// A client may cancel what it has asked for, as often as it likes, if it has waited for it: MaxStreams bounds how many of
// its requests wait at once, and so how many handlers it can start. What costs is to open streams and to reset them at once.

const (
	// cancelWait is how long a request must have waited to be cancelled without a charge, in nanoseconds. What it has
	// waited longer counts for others: if we are slow to read, some seem to have waited for long, and others to be
	// cancelled at once.
	cancelWait = 10 * 1_000_000
	// maxCancelWait bounds what counts.
	maxCancelWait = 200 * cancelWait
)

// chargeCancel charges for the client's RST_STREAM on a stream that has not ended. For a server it is free: it can only
// reset streams that we chose to open. So is one behind our whole answer.
func (c *Conn) chargeCancel(s *Stream) {
	if c.client || s.state == StateHalfClosedLocal {
		return
	}
	if age := c.now - s.updatedAt; age >= cancelWait {
		c.waited = min(c.waited+age, maxCancelWait)
	}
	if c.waited >= cancelWait {
		c.waited -= cancelWait
		return
	}
	cost := int32(costReset)
	if c.hasty > 0 {
		cost++ // owners are still busy with others of this kind
	}
	c.charge(cost)
	s.flags |= flagHasty
	c.hasty++
}
