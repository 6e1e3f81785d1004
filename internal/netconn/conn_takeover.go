package netconn

import "net"

// TakeOver flushes and takes the connection out of the engine: the caller owns it from now on, and the bytes that were
// read ahead and not taken. Outside the latch it is the accepted net.Conn or the *tls.Conn on it, without deadlines.
// Inside the latch it is a net.Conn that works at once and, when Data has returned, is as good as the accepted one.
func (c *Conn) TakeOver() (net.Conn, []byte, error) {
	if c.taken.Load() {
		return nil, nil, ErrTaken
	}
	c.stopWatching()
	c.takeBackground()
	if err := c.closeOutput(); err != nil {
		return nil, nil, err
	}
	ahead := append([]byte(nil), c.Unread()...)
	c.r = c.w
	c.leaveLot()
	below := c.nc
	if c.latched {
		below = newTakenConn(c)
	}
	c.eng.remove(c)
	c.setState(StateHijacked)
	c.nc.SetDeadline(noDeadline)
	defer c.taken.Store(true)
	if c.shim == nil {
		return below, ahead, nil
	}
	c.shim.c, c.shim.below = nil, below
	return c.shim.tls, ahead, nil
}

// closeOutput flushes and, in the same moment, refuses every further write and kick.
func (c *Conn) closeOutput() error {
	c.lock()
	defer c.unlock()
	err := c.drain()
	if err == nil && c.shim != nil {
		c.flushLocked(nil, false) // what TLS has said of itself
		err = c.drain()
	}
	if err != nil {
		return err
	}
	if c.aborted.Load() {
		return ErrAbort
	}
	c.closed, c.err = true, ErrTaken
	return nil
}
