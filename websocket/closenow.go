package websocket

import "net"

// CloseNow ends the connection at once, without a close frame, like Close of a net.Conn. It first sends as much of the
// pending output as the network takes without waiting. If that is everything, the peer sees the end of the stream;
// otherwise, the peer sees a connection reset, and Dropped counts the messages that waited in the backlog. Some
// connections cannot tell how much they take without blocking: those that are not sockets of the system, and those with
// another TLS implementation. For them CloseNow allows a quarter of a second.
//
// It returns net.ErrClosed if the connection was over already.
func (c *Conn) CloseNow() error {
	if c.over.Load() {
		c.cut()
		return net.ErrClosed
	}
	c.fail(net.ErrClosed)
	if c.flushLine() {
		c.t.Quit()
	} else {
		c.t.Abort()
	}
	c.cut()
	return nil
}

// flushLine sends as much of the line as takes no waiting, and reports whether that was everything.
func (c *Conn) flushLine() bool {
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
