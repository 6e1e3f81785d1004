package httpread

import "time"

// DeadlineConn is a Conn whose waiting can be bounded.
type DeadlineConn interface {
	Conn
	// SetReadDeadline bounds waits from now on; the zero time is no bound.
	SetReadDeadline(t time.Time) error
}

// Bounds are what may be spent on a body that nobody wants.
type Bounds struct {
	Bytes int           // of body and framing
	Wait  time.Duration // for the next byte
	Time  time.Duration // for all of it
}

// Discard reads and drops the rest of a streamed body within bounds, so that the connection can be used again: Ended
// tells whether it can. It ends with the first error, which Err says, and leaves c without a read deadline.
func (b *Body) Discard(c DeadlineConn, within Bounds) {
	last := time.Now().Add(within.Time)
	for left := within.Bytes; b.err == nil && left > 0 && !b.Ended(); {
		_, took, err := b.dec.Next(c.Unread())
		c.Take(took)
		left -= took
		b.err = err
		if err != nil || took > 0 {
			continue
		}
		wait := time.Now().Add(within.Wait)
		if wait.After(last) {
			wait = last
		}
		c.SetReadDeadline(wait)
		if _, err := c.Fill(); err != nil {
			b.err = b.cut(err)
		}
	}
	c.SetReadDeadline(time.Time{})
}
