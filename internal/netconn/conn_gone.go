package netconn

import "github.com/shockwave-go/shockwave/internal/bufpool"

// goneBox holds the wish of OnGone.
type goneBox struct{ f func() }

// OnGone calls f once, on a goroutine of its own, when the peer has closed its half, closed or reset the connection
// while Data runs. stop takes the wish back and reports whether f will not be called. The wish ends with Data; a
// second one takes the place of the first. Any goroutine may call it while Data runs.
//
// On the plain loop only a read can tell; once it has brought a byte of the next message, nobody looks any more. Where
// no descriptor is left for a lot, f is never called.
func (c *Conn) OnGone(f func()) (stop func() bool) {
	if c.taken.Load() {
		return func() bool { return false } // its new owner reads
	}
	box := &goneBox{f: f}
	c.mu.Lock()
	c.gone = box
	c.mu.Unlock()
	c.watched.Store(true)
	c.watch()
	return func() bool { return c.dropWish(box) }
}

// watch sees to it that peerGone is called when the peer leaves.
func (c *Conn) watch() {
	if !c.socket {
		c.readBackground()
		return
	}
	c.askLot(0) // without a lot nobody tells; a read is not to be had, the latch holds its lock
}

// dropWish forgets box; it reports whether that came in time.
func (c *Conn) dropWish(box *goneBox) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone != box {
		return false
	}
	c.gone = nil
	return true
}

// peerGone grants the wish, if there is one.
func (c *Conn) peerGone() {
	c.mu.Lock()
	box := c.gone
	c.gone = nil
	c.mu.Unlock()
	if box != nil {
		go box.f()
	}
}

// stopWatching ends the wish: Data is over.
func (c *Conn) stopWatching() {
	if !c.watched.Load() {
		return
	}
	c.mu.Lock()
	c.gone = nil
	c.mu.Unlock()
}

// backgroundRead waits for one byte on the plain loop, where only a read can tell that the peer has left.
type backgroundRead struct {
	one  [1]byte
	n    int
	stop bool // under Conn.mu
	done chan struct{}
}

// enterRead keeps the background read away while Fill or Read is at the transport; leaveRead lets it go on.
func (c *Conn) enterRead() {
	if c.socket {
		return
	}
	c.mu.Lock()
	c.reading = true
	c.mu.Unlock()
}

func (c *Conn) leaveRead() {
	if c.socket {
		return
	}
	c.mu.Lock()
	c.reading = false
	wish := c.gone != nil
	c.mu.Unlock()
	if wish {
		c.readBackground()
	}
}

// readBackground starts a background read if it is wanted and nobody reads.
func (c *Conn) readBackground() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.back != nil || c.reading || c.gone == nil {
		return
	}
	b := &backgroundRead{done: make(chan struct{})}
	c.back = b
	go c.awaitByte(b)
}

func (c *Conn) awaitByte(b *backgroundRead) {
	defer close(b.done)
	for {
		n, err := c.transportRead(b.one[:])
		b.n = n
		if n > 0 {
			return
		}
		if !isTimeout(err) {
			c.peerGone()
			return
		}
		c.mu.Lock()
		stop := b.stop
		if !stop && !c.closed {
			c.nc.SetReadDeadline(noDeadline)
		}
		c.mu.Unlock()
		if stop {
			return
		}
	}
}

// takeBackground ends the background read, if there is one, and reports whether it brought a byte, which is then the
// last of Unread.
func (c *Conn) takeBackground() bool {
	if !c.watched.Load() {
		return false
	}
	c.mu.Lock()
	b := c.back
	if b == nil {
		c.mu.Unlock()
		return false
	}
	c.back = nil
	b.stop = true
	if !c.closed {
		c.nc.SetReadDeadline(past)
	}
	c.mu.Unlock()
	<-b.done
	c.unkick()
	if b.n == 0 {
		return false
	}
	if c.w == len(c.buf) && c.r == 0 {
		c.buf = bufpool.Grow(c.buf, c.w+1) // the byte is here, whatever MaxUnread says
		c.buf = c.buf[:cap(c.buf)]
	}
	space, _ := c.space()
	space[0] = b.one[0]
	c.w++
	return true
}
