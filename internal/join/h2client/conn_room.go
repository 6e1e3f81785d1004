package h2client

// hasRoom reports whether a request can begin without waiting.
func (c *Conn) hasRoom() bool {
	c.Lock()
	defer c.Unlock()
	return c.hasRoomLocked()
}

// waiting returns how many requests wait for room.
func (c *Conn) waiting() int {
	c.Lock()
	defer c.Unlock()
	return len(c.queue.waiting)
}

// hasRoomLocked is hasRoom with the lock held.
func (c *Conn) hasRoomLocked() bool { return c.queue.mayPass(c.WireLocked().Room()) }

// admitLocked lets waiting requests begin, as many as there is room for.
func (c *Conn) admitLocked() { c.queue.admit(c.WireLocked().Room()) }

// awaitRoomLocked waits until a request may begin, or done is closed. It returns false if the connection takes no more
// requests, or done was closed first. The lock is released while it waits; a caller for which there is room must open its
// stream before it releases the lock again.
func (c *Conn) awaitRoomLocked(done <-chan struct{}) bool {
	w := c.queue.join()
	c.Unlock()
	canceled := false
	select {
	case <-w.ready:
	case <-done:
		canceled = true
	}
	c.Lock()
	admitted := c.queue.leave(w)
	if admitted && canceled {
		c.admitLocked()
	}
	return admitted && !canceled
}

// unusedLocked reports whether there are no requests and none waits to begin.
func (c *Conn) unusedLocked() bool { return c.WireLocked().Len() == 0 && len(c.queue.waiting) == 0 }
