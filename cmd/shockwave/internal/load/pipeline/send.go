package pipeline

// pump puts as many requests in flight as may be sent. It returns the bytes that the caller must write after releasing
// the lock.
func (c *Conn) pump(now int64) []byte {
	first, n := 0, 0
	for c.flight.total < c.depth {
		g, turn := c.slot.Claim(now, c.depth-c.flight.total)
		if g.N == 0 {
			break
		}
		if n == 0 {
			first = turn
		}
		c.flight.push(g)
		n += g.N
	}
	switch {
	case n == 0:
		return nil
	case !c.script.Batched():
		c.handToWriter(n)
		return nil
	}
	return c.script.Batch(first, n)
}

// write writes requests that are already in flight.
func (c *Conn) write(requests []byte) error {
	if len(requests) == 0 {
		return nil
	}
	_, err := c.net.Write(requests)
	return err
}

// handToWriter leaves the writing of n requests to the writer.
func (c *Conn) handToWriter(n int) {
	c.writer.left += n
	if !c.writer.busy {
		c.writer.busy = true
		c.slot.Go(c.writeAll)
	}
}

// writeAll writes requests in order, until none are left.
func (c *Conn) writeAll() {
	for turn := c.claimWrite(); turn >= 0; turn = c.claimWrite() {
		if c.net.WriteTwo(c.script.head(turn), c.script.Bodies[turn]) != nil {
			return // End handles the error
		}
	}
}

// claimWrite returns the index of the next request that the writer must write, or -1 if it must return.
func (c *Conn) claimWrite() (turn int) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if c.ended || c.writer.left == 0 || c.slot.Over() {
		c.writer.busy = false
		return -1
	}
	c.writer.left--
	turn = c.writer.turn
	c.writer.turn = c.script.Turns.After(turn, 1)
	return turn
}
