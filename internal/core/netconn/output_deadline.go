package netconn

import (
	"time"
)

// Progress returns how far the output has come. What the system accepts says little about the peer, what the peer
// acknowledges says more; where that is not known, it is what the connection accepts.
func (o *Output) Progress() Progress {
	return Progress{
		Taken: o.tr.Taken(o.accepted()), Outstanding: int64(o.tr.Outstanding()), Unsent: o.out.Unsent(),
	}
}

// accepted returns how many bytes a connection that is not a socket has accepted. It never accepts any without a stall.
func (o *Output) accepted() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stall == nil {
		return 0
	}
	return o.stall.Accepted()
}

// PeerBuffer returns how many bytes that the peer has taken may lie unread in its buffer.
func (o *Output) PeerBuffer() int64 { return o.tr.PeerBuffer() }

// SetWriteDeadline sets the deadline of every wait for the peer to take output; the zero time means none. After a wait
// has failed at the deadline, the connection can no longer be written to.
func (o *Output) SetWriteDeadline(t time.Time) error {
	o.setWriteDeadline(o.DueOf(t))
	return nil
}

// LimitWrites sets the write deadline to d from now. Time during which the process did not run does not count.
func (o *Output) LimitWrites(d time.Duration) { o.setWriteDeadline(o.DueIn(d)) }

// WriteTimeLeft returns the time until the write deadline, at most most, and 0 if it has passed.
func (o *Output) WriteTimeLeft(most time.Duration) time.Duration {
	if at := o.writeDeadline(); at != 0 {
		return max(min(time.Duration(at-o.eng.clock.Now()), most), 0)
	}
	return most
}

// SetWriteTimeout overrides Config.WriteTimeout for this connection, for waits that begin later. A negative d means
// none.
func (o *Output) SetWriteTimeout(d time.Duration) { o.setWriteLimit(d) }
