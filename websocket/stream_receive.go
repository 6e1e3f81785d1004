package websocket

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// leaveStream discards the rest of a message that its reader has not read to the end. c.reading must be held.
func (c *Conn) leaveStream() error {
	if c.in.stream == nil {
		return nil
	}
	return c.discardStream(c.in.stream)
}

// discardStream discards the rest of the message of r, the current reader.
func (c *Conn) discardStream(r *messageReader) error {
	if c.in.msg != nil {
		r.at = len(c.in.msg)
		r.gathered(nil)
	}
	r.err = errLeft
	scratch := bufpool.Get(4 << 10)
	defer bufpool.Put(scratch)
	for c.in.stream != nil {
		_, ended, err := c.stream(scratch)
		if err != nil {
			return err
		}
		if ended {
			c.in.stream = nil
		}
	}
	return nil
}

// stream reads payload of the current message into dst; ended reports whether it was the last. With an empty dst it
// returns as soon as a message has begun. c.reading must be held.
func (c *Conn) stream(dst []byte) (n int, ended bool, err error) {
	for !c.finished.Load() {
		e, p, taken, err := c.in.takePart(c.pull.Unread(), dst)
		c.pull.Take(taken)
		if err == nil && e == nothing {
			if len(dst) == 0 && c.in.begun() {
				return 0, false, nil
			}
			e, p, err = c.receivePart(dst)
		}
		switch {
		case err != nil:
			return 0, false, c.readFailed(err)
		case e == lastPart:
			c.batch(c.pull.Unread())
			return len(p), true, nil
		case e == part:
			return len(p), false, nil
		case e != nothing:
			c.batch(c.pull.Unread())
			err = c.answer(e, p)
			c.in.release()
			if err != nil {
				return 0, false, c.hangUp(err)
			}
		}
	}
	return 0, false, c.readError(c.Err())
}

// receivePart waits for more bytes. Payload of a large frame is received into dst directly.
func (c *Conn) receivePart(dst []byte) (event, []byte, error) {
	in := &c.in
	if len(dst) < directReadMin || !in.readsDirectly() || len(c.pull.Unread()) > 0 {
		return c.receive()
	}
	c.endBatch()
	n, err := c.pull.Read(dst[:min(int64(len(dst)), in.left)])
	if n == 0 {
		return nothing, nil, err
	}
	c.noteActivity()
	e, err := in.unmaskPart(dst[:n], dst[:n])
	return e, dst[:n], err
}
