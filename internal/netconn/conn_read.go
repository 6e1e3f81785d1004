package netconn

// Take says that n bytes of Unread are taken.
func (c *Conn) Take(n int) {
	c.take(n)
	c.begun = 0
}

// BeginMessage starts the account of MinReadRate anew.
func (c *Conn) BeginMessage() {
	c.rate = readAccount{}
	c.pausesAllowed.Store(false)
}

// AllowPauses takes MinReadRate off the message in hand: it is half of a conversation, in which the peer may wait for
// us. Any goroutine may call it while Data runs.
func (c *Conn) AllowPauses() { c.pausesAllowed.Store(true) }

// Fill flushes, waits until more bytes have arrived and returns Unread. It fails with io.EOF, ErrSlow (the read
// deadline has passed or the peer is below MinReadRate), ErrFull, ErrLatched, or what the connection says; what is unread
// stays.
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

// Read copies from Unread and takes what it copied, or, if that is empty, flushes and reads from the connection into p. It
// fails as Fill does.
func (c *Conn) Read(p []byte) (int, error) {
	if c.Latched() {
		return 0, ErrLatched
	}
	if c.r == c.w {
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

// beginFill is called before a wait: pending output leaves first. more tells that bytes have come already, with what
// watched for the peer's end. Without an error leaveTransport must follow.
func (c *Conn) beginFill() (more bool, err error) {
	switch {
	case c.Latched():
		return false, ErrLatched
	case c.ownership.Load() == hijacked:
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
		if again, err := c.endRead(&c.rate, began, n, err); !again {
			return n, err
		}
	}
}

// roomToRead returns where the next bytes go, behind what is unread.
func (c *Conn) roomToRead() ([]byte, error) {
	return c.space(max(c.eng.cfg.ReadBuffer, c.readSize), c.eng.cfg.MaxUnread)
}

// arrived takes n bytes of roomToRead, which were room.
func (c *Conn) arrived(n, room int) {
	c.w += n
	if n > 0 {
		c.readSize = nextReadSize(c.readSize, len(c.buf), n, room)
	}
}
