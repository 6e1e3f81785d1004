package websocket

import "net"

// CloseNow ends the connection at once, without a close frame, as the Close of a net.Conn does. What has been written
// leaves as far as that takes no waiting. If nothing is lost the peer sees the end of the stream, else a reset: when it
// does not take what was written, or messages of Send still wait, which Dropped counts. Where only trying reports whether the
// peer takes something (not a socket of the system, or a TLS of somebody else's) it is given a quarter of a second.
//
// It returns net.ErrClosed if the connection was over already.
func (c *Conn) CloseNow() error {
	if c.over.Load() {
		c.cut()
		return net.ErrClosed
	}
	c.fail(net.ErrClosed)
	if c.hurryLine() {
		c.t.Quit()
	} else {
		c.t.Abort()
	}
	c.cut()
	return nil
}

// hurryLine has what is in line leave as far as that takes no waiting, and reports whether that was everything.
func (c *Conn) hurryLine() bool {
	for left := -1; c.inLine.Load(); {
		c.t.Push()
		c.mu.Lock()
		before := left
		left = len(c.outbox.line)
		c.mu.Unlock()
		if left == before {
			return left == 0
		}
		c.moveOn()
	}
	return true
}
