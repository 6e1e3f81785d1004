package netconn

import (
	"net"

	"github.com/shockwave-go/shockwave/internal/bufpool"
)

// Post appends p as a unit if there is room for it, and never waits for the socket: what that does not take at once is
// sent by a goroutine of its own. ok is false when there is no room or it is not p's turn. p is copied. Any goroutine may
// call it.
func (c *Conn) Post(u Unit, p []byte) (ok bool, err error) {
	ok, held, err := c.post(u, p)
	if held && c.eng.cfg.FlushLate {
		c.FlushSoon()
	}
	return ok, err
}

func (c *Conn) post(u Unit, p []byte) (ok, held bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.corked && !c.sending && c.full(len(p)) && c.err == nil {
		c.pushOut() // what was held back is more than there is room for
	}
	switch {
	case c.end != endNone:
		return false, false, net.ErrClosed
	case c.err != nil:
		return false, false, c.err
	case c.parted && u == Whole, c.full(len(p)):
		return false, false, nil
	}
	c.append(u, p, nil)
	if c.corked || c.sending {
		return true, c.corked, nil
	}
	c.pushOut()
	return c.err == nil, false, c.err
}

// pushOut makes the caller the flusher of what is pending, but not for longer than the transport takes it at once: the
// rest is sent by a goroutine of its own. c.mu is held.
func (c *Conn) pushOut() {
	batch := c.out
	c.out, c.sending = nil, true
	c.mu.Unlock()
	rest, all, err := c.transmitNow(batch)
	c.mu.Lock()
	if err == nil && (!all || len(c.out) > 0) {
		go c.flushPosted(batch, rest)
		return
	}
	bufpool.Put(batch)
	c.endFlush(err)
}

// pushPending sees to it that what is pending is sent.
func (c *Conn) pushPending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil && !c.sending && len(c.out) > 0 {
		c.pushOut()
	}
	return c.err
}

// endFlush ends a flush; err is what it failed with. c.mu is held.
func (c *Conn) endFlush(err error) {
	if err != nil && c.err == nil {
		c.err = err
		go c.kick()
	}
	c.sending = false
	c.wakeWriters()
}

// flushPosted sends rest, the end of batch, and what has been appended since.
func (c *Conn) flushPosted(batch, rest []byte) {
	err := c.send(rest, nil, false)
	c.mu.Lock()
	defer c.mu.Unlock()
	bufpool.Put(batch)
	if err == nil && c.err == nil && len(c.out) > 0 && !c.corked {
		c.flushLocked(nil, false)
		return
	}
	c.endFlush(err)
}

// transmitNow sends what the transport takes without waiting; where it cannot be asked that is nothing. What is left is
// rest and, unless all has been sent, what TLS keeps.
func (c *Conn) transmitNow(p []byte) (rest []byte, all bool, err error) {
	switch {
	case !c.socket:
		return p, false, nil
	case c.shim != nil:
		return c.shim.encryptNow(p)
	}
	rest, err = c.sendOnce(p)
	return rest, len(rest) == 0, err
}

// sendOnce sends what the socket takes of p at once and returns the rest. It is the flusher's.
func (c *Conn) sendOnce(p []byte) (rest []byte, err error) {
	if rest, _, err = c.sendNow(p, nil, false); err != nil {
		return nil, err
	}
	c.eng.stats.out(len(p) - len(rest))
	return rest, nil
}
