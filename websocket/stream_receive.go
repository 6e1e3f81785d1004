package websocket

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

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
	for {
		if c.finished.Load() {
			return 0, false, c.readError(c.Err())
		}
		e, p, taken, err := c.in.takePart(c.pull.Unread(), dst)
		c.pull.Take(taken)
		if err == nil && e == nothing {
			if len(dst) == 0 && c.in.begun() {
				return 0, false, nil
			}
			e, p, err = c.receivePart(dst)
			if errors.Is(err, os.ErrDeadlineExceeded) && c.t.WriteError() == nil {
				return 0, false, os.ErrDeadlineExceeded // the read deadline; an expired write deadline breaks the connection
			}
			if err == netconn.ErrInterrupted {
				return 0, false, err
			}
		}
		switch {
		case err != nil:
			return 0, false, c.hangUp(err)
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
}

// receivePart waits for more bytes. Payload of a large frame is received into dst directly.
func (c *Conn) receivePart(dst []byte) (event, []byte, error) {
	in := &c.in
	if !in.begun() || !in.framed || len(dst) < directReadMin || in.left < directReadMin || len(c.pull.Unread()) > 0 {
		return nothing, nil, c.receive()
	}
	c.endBatch()
	n, err := c.pull.Read(dst[:min(int64(len(dst)), in.left)])
	if n == 0 {
		return nothing, nil, err
	}
	c.heartbeat.noteActivity()
	e, err := in.unmaskPart(dst[:n], dst[:n])
	return e, dst[:n], err
}
