package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/inbuf"
	"github.com/shockwave-go/shockwave/internal/core/peerrate"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Take takes n bytes of Unread.
func (c *Conn) Take(n int) {
	c.in.Take(n)
	c.msg.begun = 0
}

// BeginMessage restarts the measurement of MinReadRate.
func (c *Conn) BeginMessage() {
	c.rate = peerrate.Reads{}
	c.pausesAllowed.Store(false)
}

// AllowPauses exempts the current message from MinReadRate: it is half of a conversation, in which the peer may wait
// for our side.
func (c *Conn) AllowPauses() { c.pausesAllowed.Store(true) }

// Fill flushes the output, waits until more bytes have arrived, and returns Unread. It fails with io.EOF, ErrSlow (the
// read deadline has passed or the peer is below MinReadRate), ErrFull, ErrLatched, or the error of the connection.
// Unread bytes are kept.
func (c *Conn) Fill() ([]byte, error) {
	more, err := c.beginFill()
	if err != nil {
		return nil, err
	}
	defer c.releaseTransport()
	if !more {
		space, err := c.roomToRead()
		if err != nil {
			return nil, err
		}
		n, err := c.readWaiting(space)
		c.arrived(n, len(space))
		if n == 0 && err != nil {
			return nil, err
		}
	}
	return c.Unread(), nil
}

// Read copies bytes of Unread to p and takes them. If Unread is empty, it flushes the output and reads from the
// connection into p. It fails as Fill does.
func (c *Conn) Read(p []byte) (int, error) {
	if c.Latched() {
		return 0, ErrLatched
	}
	if c.in.Empty() {
		more, err := c.beginFill()
		if err != nil {
			return 0, err
		}
		defer c.releaseTransport()
		if !more && len(p) > 0 {
			return c.readWaiting(p)
		}
	}
	n := copy(p, c.Unread())
	c.Take(n)
	return n, nil
}

// beginFill prepares a wait: it flushes the output. more reports that the background read has returned input already.
// If err is nil, the caller must call releaseTransport afterwards.
func (c *Conn) beginFill() (more bool, err error) {
	switch {
	case c.Latched():
		return false, ErrLatched
	case c.ownership.is(hijacked):
		return false, ErrHijacked
	}
	if err := c.Flush(); err != nil {
		return false, err
	}
	return c.takeTransport(), nil
}

// readWaiting reads from the transport into p, within the read deadline and the minimum rate.
func (c *Conn) readWaiting(p []byte) (int, error) {
	for {
		began, err := c.beginRead(&c.rate, c.pausesAllowed.Load())
		if err != nil {
			return 0, err
		}
		n, err := c.read(p)
		again, err := c.endRead(&c.rate, began, n, err)
		if again {
			continue
		}
		if err != nil && !transport.TimedOut(err) {
			c.NoteGone()
		}
		return n, err
	}
}

// roomToRead returns the space behind the unread input for the next receive.
func (c *Conn) roomToRead() ([]byte, error) {
	return c.in.Space(max(c.cfg.ReadBuffer, c.readSize), c.cfg.MaxUnread)
}

// arrived appends n bytes, received into the room bytes of roomToRead, to the input.
func (c *Conn) arrived(n, room int) {
	c.in.Arrived(n)
	if n > 0 {
		c.readSize = inbuf.NextSize(c.readSize, c.in.Size(), n, room)
	}
}
