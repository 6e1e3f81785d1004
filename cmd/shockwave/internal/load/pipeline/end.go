package pipeline

import "github.com/shockwave-go/shockwave/internal/core/netconn"

// finish returns how the connection is to end after an error of its reader. If a writer is still busy with a request that
// has already been answered, the connection is aborted.
func (c *Conn) finish(err error) error {
	switch err {
	case netconn.ErrDone:
		return err
	case ErrClosing:
		if c.cause = lastResponse; !c.writer.busy {
			return netconn.ErrDone
		}
	case ErrLost:
		c.cause = lost
	default:
		c.cause = badInput
	}
	return netconn.ErrAbort
}

// Expire implements drive.Conn. The response to the oldest request holds up all others, so the connection ends.
func (c *Conn) Expire(before int64) {
	c.slot.Lock()
	overdue := !c.ended && c.cause == noCause && c.flight.total > 0 && c.flight.oldest().Sent < before
	if overdue {
		c.cause = timedOut
	}
	c.slot.Unlock()
	if overdue {
		c.net.Abort()
	}
}

// Abort implements drive.Conn.
func (c *Conn) Abort() {
	c.slot.Lock()
	if c.cause == noCause {
		c.cause = timedOut
	}
	c.slot.Unlock()
	c.net.Abort()
}

// End implements netconn.Protocol. It counts the unanswered requests.
func (c *Conn) End(_ *netconn.Conn, err error) {
	c.slot.Lock()
	defer c.slot.Unlock()
	c.ended = true
	if !c.slot.Over() {
		c.count(err, c.slot.Now())
	}
	c.slot.Ended(c.cause == lastResponse)
}

// count counts the end of the connection and the requests in flight on it.
func (c *Conn) count(err error, now int64) {
	var how error
	if c.cause == noCause {
		if how = c.reader.End(c, err, now); how == ErrClosing {
			c.cause = lastResponse
		}
	}
	t, left := c.slot.Tally(), c.flight.total
	switch {
	case c.cause == lastResponse || c.cause == noCause && left == 0:
		t.Reconnects++
		c.slot.GiveBack(left, c.next) // a server that closes in an orderly way has not processed these (RFC 9112 §9.6)
		return
	case c.cause == badInput && left == 0:
		t.Errors.Protocol++
	}
	for first := true; c.flight.total > 0; first = false {
		kind := &t.Errors.Closed
		switch {
		case c.cause == badInput && first:
			kind = &t.Errors.Protocol
		case c.cause == timedOut && now-c.flight.oldest().Sent > int64(c.slot.Timeout()):
			kind = &t.Errors.Timeout
		case how == ErrShort && first:
			kind = &t.Errors.Length
		}
		c.slot.Fail(kind, c.next)
		c.pop()
	}
}
