package h2

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// Expire implements drive.Conn. Only the requests themselves time out, unless nothing at all has arrived since.
func (c *conn) Expire(before int64) {
	c.slot.Lock()
	dead := !c.over && !c.badInput && !c.timedOut && c.expire(before)
	c.timedOut = c.timedOut || dead
	c.slot.Unlock()
	if dead {
		c.net.Abort()
	} else {
		c.net.Draw(c) // other requests take the places of those that timed out
	}
}

// expire counts requests that were sent before the given time as timed out, each one separately: other responses may
// still arrive. It reports true if nothing at all has arrived since one of them was sent; then the connection must end.
func (c *conn) expire(before int64) (dead bool) {
	for i := range c.exchanges {
		x := &c.exchanges[i]
		if x.stream == nil || x.times.Sent >= before {
			continue
		}
		if c.lastInput <= x.times.Sent {
			return true
		}
		c.fail(x, &c.slot.Tally().Errors.Timeout)
	}
	return false
}

// Abort implements drive.Conn.
func (c *conn) Abort() {
	c.slot.Lock()
	c.timedOut = !c.badInput
	c.slot.Unlock()
	c.net.Abort()
}

// End implements netconn.Protocol. It counts the unanswered requests.
func (c *conn) End(*netconn.Conn, error) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if !c.slot.Over() {
		c.count(c.slot.Now())
	}
	c.over = true
	c.slot.Ended(false)
}

// count counts the end of the connection and the requests in flight on it.
func (c *conn) count(now int64) {
	tally := c.slot.Tally()
	if c.badInput && c.used == 0 {
		tally.Errors.Protocol++
	} else if c.used == 0 && !c.timedOut {
		tally.Reconnects++
	}
	first := true
	for i := range c.exchanges {
		x := &c.exchanges[i]
		if x.stream == nil {
			continue
		}
		kind := &tally.Errors.Closed
		switch {
		case c.badInput && first:
			kind = &tally.Errors.Protocol
		case c.timedOut && now-x.times.Sent > int64(c.slot.Timeout()):
			kind = &tally.Errors.Timeout
		case x.status != 0:
			kind = &tally.Errors.Length
		}
		first = false
		c.fail(x, kind)
	}
}
