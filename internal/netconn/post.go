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
	c.lock()
	defer c.unlock()
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
	if c.settled() {
		return nil
	}
	c.lock()
	defer c.unlock()
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
	if c.closed {
		c.dropOutput()
	}
	c.wakeWriters()
}

// flushPosted sends rest, the end of batch, and what has been appended since.
func (c *Conn) flushPosted(batch, rest []byte) {
	err := c.send(&leaving{p: rest}, false)
	c.lock()
	defer c.unlock()
	bufpool.Put(batch)
	c.flushRest(err)
}

// flushRest sends what has been appended during a flush, which failed with err; c.mu is held.
func (c *Conn) flushRest(err error) error {
	if err == nil && c.err == nil && len(c.out) > 0 && !c.corked {
		return c.flushLocked(nil, false)
	}
	c.endFlush(err)
	return c.err
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
	l, s := leaving{p: p}, c.waiter()
	if err = s.tried(&l, s.raw.Write(s.trying(&l))); err != nil {
		return nil, err
	}
	c.eng.stats.out(len(p) - len(l.p))
	return l.p, nil
}
