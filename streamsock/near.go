package streamsock

import "time"

// nearWait is how long a Send waits for a connection that accepts no output.
const nearWait = 10 * time.Millisecond

// awaitNearRoomLocked delays a Send of n bytes to a peer on the same host until earlier output has left: a large message waits
// until it can be written from the caller's memory, a small one while the queue is full up to the window. Otherwise data
// would leave the processor's cache before it leaves the queue. It is not a limit: if nothing leaves within nearWait, it
// does not wait again until something does.
func (p *Peer) awaitNearRoomLocked(n int) {
	c := p.conn
	if c == nil || c.window == 0 || !p.nearFullLocked(c, n) {
		return
	}
	if c.nearWaiters++; c.nearTimer == nil {
		c.nearTimer = time.AfterFunc(nearWait, c.nearTimeout)
	} else if c.nearWaiters == 1 {
		c.nearTimer.Reset(nearWait)
	}
	for p.nearFullLocked(c, n) {
		if p.queue.empty() && c.askDrawLocked() { // so that room is signalled when a direct write has left
			p.mu.Unlock()
			c.nc.Draw(c)
			p.mu.Lock()
			continue
		}
		p.room.Wait()
	}
	if c.nearWaiters--; c.nearWaiters == 0 {
		c.nearTimer.Stop()
	}
}

// nearTimeout stops the waits in awaitNearRoomLocked.
func (c *conn) nearTimeout() {
	c.peer.mu.Lock()
	c.stuck = true
	c.peer.room.Broadcast()
	c.peer.mu.Unlock()
}

// askDrawLocked asks for a draw although the queue is empty, and reports whether the caller must call Draw.
func (c *conn) askDrawLocked() bool { return !c.writing && c.gather.Ask() }

// nearFullLocked reports whether a Send of n bytes is to wait in awaitNearRoomLocked: output is pending and can leave.
func (p *Peer) nearFullLocked(c *conn, n int) bool {
	switch {
	case p.conn != c || c.stuck || c.closing || c.writeBroken:
		return false
	case n >= large:
		return c.gather.Asked() || c.writing || !p.queue.empty() || c.nc.Unsent()
	}
	return !p.queue.empty() && p.queue.bytes+int64(n) > int64(c.window)
}
