package websocket

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// read returns the next message, valid until in.release or the next read. It lies in dst if it is in one frame and fits.
// c.reading is held.
func (c *Conn) read(dst []byte) ([]byte, error) {
	if c.onMessage != nil {
		return nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return nil, err
	}
	for {
		if c.finished.Load() {
			return nil, c.told(c.Err())
		}
		p, found, err := c.found(dst)
		if found {
			return p, nil
		}
		if err == nil {
			err = c.receive()
			if errors.Is(err, os.ErrDeadlineExceeded) && c.t.WriteError() == nil {
				c.in.keepLent()
				return nil, os.ErrDeadlineExceeded // of reading; one of writing has broken the connection
			}
			if err == netconn.ErrInterrupted {
				c.in.keepLent()
				return nil, err
			}
		}
		if err != nil {
			return nil, c.hangUp(err)
		}
	}
}

// found returns the next message in what has arrived, and answers the control frames before it. Without one more must be
// received.
func (c *Conn) found(dst []byte) (p []byte, found bool, err error) {
	if c.in.whole {
		c.in.whole = false
		return c.in.msg, true, nil
	}
	for {
		b := c.pull.Unread()
		e, p, n, err := c.in.take(b, dst)
		c.pull.Take(n)
		if err != nil || e == nothing {
			return nil, false, err
		}
		c.batch(b[n:])
		if e == message {
			return p, true, nil
		}
		err = c.answer(e, p)
		c.in.release()
		if err != nil {
			return nil, false, err
		}
	}
}

// batch keeps what will be written back as long as rest, which arrived together with the message or ping just found, has
// another frame: the answers to all of them leave together.
func (c *Conn) batch(rest []byte) {
	if more := another(rest); more && !c.held {
		c.held = true
		c.t.Hold()
	} else if !more {
		c.letGo()
	}
}

// letGo ends a batch: what it has kept leaves before the wait that follows.
func (c *Conn) letGo() {
	if c.held {
		c.held = false
		c.t.Release()
	}
}

// receive waits for more bytes.
func (c *Conn) receive() error {
	c.letGo()
	if room := c.in.ahead(); room != nil && len(c.pull.Unread()) == 0 {
		n, err := c.pull.Read(room)
		if err == nil || n > 0 {
			c.noteSign()
			c.in.whole, err = c.in.gather(room[:n])
		}
		return err
	}
	_, err := c.pull.Fill()
	if err == nil {
		c.noteSign()
	}
	return err
}

// answer does what a control frame asks for. The error is what the connection ends with.
func (c *Conn) answer(e event, p []byte) error {
	switch e {
	case ping:
		return c.pong(p)
	case pong:
		c.ponged(p)
		return nil
	}
	code, reason, err := wsframe.ParseClose(p)
	if err != nil {
		return err
	}
	return &CloseError{Code: code, Reason: string(reason)}
}
