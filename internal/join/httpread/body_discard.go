package httpread

import (
	"errors"
	"os"
	"time"
)

// DeadlineConn is a Conn with a read deadline.
type DeadlineConn interface {
	Conn
	// SetReadDeadline sets the deadline of Fill and Read. The zero time means no deadline.
	SetReadDeadline(t time.Time) error
}

// Bounds limit the effort of discarding a body.
type Bounds struct {
	Bytes int           // of body and framing, for all calls on one body together
	Wait  time.Duration // until the next byte arrives
	Time  time.Duration // in total
}

// Discard reads and drops the rest of a streamed body within bounds, so that the connection can be used again. Ended
// reports whether that succeeded. Discard stops at the first error, which Err then returns. It removes c's read
// deadline.
func (b *Body) Discard(c DeadlineConn, within Bounds) {
	if _, err := b.discard(c, within); err != nil {
		b.err = err
	}
}

// DiscardArrived is Discard as long as the body arrives without a pause. After a pause the body can still be read. It
// reports whether the body has ended or pauses. Otherwise reading has failed, or the body is longer than within.Bytes.
func (b *Body) DiscardArrived(c DeadlineConn, within Bounds) bool {
	spent, err := b.discard(c, within)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	if err != nil {
		b.err = err
	}
	return !spent && err == nil
}

// discard reads and drops the rest of the body. If it stops before the end it returns an error, or spent, which means
// that within.Bytes have been dropped.
func (b *Body) discard(c DeadlineConn, within Bounds) (spent bool, err error) {
	defer c.SetReadDeadline(time.Time{})
	last := time.Now().Add(within.Time)
	for b.err == nil && !b.Ended() {
		if b.discarded >= within.Bytes {
			return true, nil
		}
		_, took, err := b.dec.Next(c.Unread())
		c.Take(took)
		b.discarded += took
		if err != nil {
			return false, err
		}
		if took > 0 {
			continue
		}
		wait := time.Now().Add(within.Wait)
		if wait.After(last) {
			wait = last
		}
		c.SetReadDeadline(wait)
		if _, err := c.Fill(); err != nil {
			return false, b.endError(err)
		}
	}
	return false, nil
}
