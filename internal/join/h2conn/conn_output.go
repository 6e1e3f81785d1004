package h2conn

// Draw sends pending output, as much as the peer takes.
func (c *Conn) Draw() { c.link.Draw(c) }

// AppendOutput implements netconn.Source. It appends what is ready to be sent, about most bytes.
func (c *Conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.draws++
	dst = append(dst, c.out...)
	c.out = c.out[:0]
	c.wakeRoomWaitersLocked()
	dst = c.wire.AppendPending(dst)
	if c.wire.MeasuresRTT() {
		c.wire.OutputSent(c.link.ExactMoment())
	}
	for len(dst) < most {
		w := c.wire.NextSender()
		if w == nil {
			return dst, false
		}
		dst = StreamOf(w).writer.appendQueued(dst, &c.session, w, most-len(dst))
	}
	return dst, true
}

// wakeRoomWaitersLocked wakes the goroutines in AwaitRoomLocked.
func (c *Conn) wakeRoomWaitersLocked() {
	if !c.roomWanted {
		return
	}
	c.roomWanted = false
	for w := range c.wire.Streams {
		StreamOf(w).writer.roomMade()
	}
}
