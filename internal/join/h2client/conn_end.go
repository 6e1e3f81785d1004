package h2client

import (
	"fmt"
	"io"
)

// Closed implements h2conn.Owner.
func (c *Conn) Closed(error) {
	c.Lock()
	c.retireLocked()
	c.Unlock()
}

// EndOfInput implements netconn.InputEnder.
func (c *Conn) EndOfInput(err error) {
	err = c.Link().SystemError(c.Link().EndedBy(err))
	c.Lock()
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		c.readErr = &brokenError{err}
	}
	c.Unlock()
	c.Conn.EndOfInput(err)
	c.Lock()
	c.retireLocked()
	c.Unlock()
}

// retireLocked makes the connection take no more requests.
func (c *Conn) retireLocked() {
	if !c.closed.Swap(true) {
		go c.onRetired(c)
	}
	c.queue.dismiss()
}

// Close makes the connection take no more requests. Those that have begun are completed, then the connection ends.
func (c *Conn) Close() {
	c.Lock()
	c.retireLocked()
	c.Unlock()
	c.Drain()
}

// CloseIfIdle closes the connection if it has no requests, and reports whether this call closed it. A request that is
// about to begin uses another connection.
func (c *Conn) CloseIfIdle() (closed bool) {
	c.Lock()
	idle := c.unusedLocked()
	closed = idle && !c.closed.Load()
	if idle {
		c.retireLocked()
		c.WireLocked().Shutdown(c.Now())
	}
	c.Unlock()
	if idle {
		c.Link().Nudge()
	}
	return closed
}

// Abort closes the connection at once. Its requests fail.
func (c *Conn) Abort() { c.Link().Abort() }

// reason returns why no request could begin on c; err if c gives no reason.
func (c *Conn) reason(err error) error {
	c.Lock()
	defer c.Unlock()
	if c.goAway != nil {
		return c.goAway
	}
	if c.ErrLocked() != nil || c.EndedLocked() {
		return fmt.Errorf("http2: the server closes new connections: %w", io.ErrUnexpectedEOF)
	}
	return err
}
