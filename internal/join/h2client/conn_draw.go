package h2client

import "runtime"

// OutputReadyLocked implements h2conn.Owner.
func (c *Conn) OutputReadyLocked(bool) {
	if !c.callerDraws && c.drawing.CompareAndSwap(false, true) {
		go c.drawSoon()
	}
}

// requestDraw sends pending output, unless another goroutine is about to. It is called without the lock, by a goroutine
// that has produced output while callerDraws was set.
func (c *Conn) requestDraw() {
	if c.drawing.CompareAndSwap(false, true) {
		c.drawSoon()
	}
}

// drawSoon sends the output of many goroutines at once: it first yields, so that those that can run add theirs. A
// goroutine that finds drawing set has added its output before drawing is cleared, so Draw sends that too.
func (c *Conn) drawSoon() {
	runtime.Gosched()
	c.drawing.Store(false)
	c.Draw()
}
