package httpread

import (
	"errors"
	"os"
	"time"
)

// DeadlineConn is a Conn whose waiting can be bounded.
type DeadlineConn interface {
	Conn
	// SetReadDeadline bounds waits from now on; the zero time is no bound.
	SetReadDeadline(t time.Time) error
}

// Bounds are what may be spent on a body that nobody wants.
type Bounds struct {
	Bytes int           // of body and framing, by all calls for one body
	Wait  time.Duration // for the next byte
	Time  time.Duration // for all of it
}

// Discard reads and drops the rest of a streamed body within bounds, so that the connection can be used again: Ended
// reports whether it can. It ends with the first error, which Err says, and leaves c without a read deadline.
func (b *Body) Discard(c DeadlineConn, within Bounds) {
	if _, err := b.discard(c, within); err != nil {
		b.err = err
	}
}

// DiscardArrived is Discard for as long as the body comes without a pause; after one it can be read on. It reports whether
// the body has ended or pauses: else it has failed, or there is more of it than within.Bytes.
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

// discard returns why it ended before the body did: because within.Bytes are spent, or with an error.
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
