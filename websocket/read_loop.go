package websocket

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// read returns the next message, which is valid until in.release or the next read. It is in dst if it came in one frame
// and fits. c.reading must be held.
func (c *Conn) read(dst []byte) ([]byte, error) {
	if c.onMessage != nil {
		return nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return nil, err
	}
	for {
		if c.finished.Load() {
			return nil, c.readError(c.Err())
		}
		p, found, err := c.nextArrived(dst)
		if found {
			return p, nil
		}
		if err == nil {
			err = c.receive()
			if errors.Is(err, os.ErrDeadlineExceeded) && c.t.WriteError() == nil {
				c.in.keepLent()
				return nil, os.ErrDeadlineExceeded // the read deadline; an expired write deadline breaks the connection
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

// nextArrived returns the next message of the bytes that have arrived, and answers the control frames before it. If
// found is false and err is nil, more bytes must be received.
func (c *Conn) nextArrived(dst []byte) (p []byte, found bool, err error) {
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

// batch starts to hold output back if rest, the bytes that arrived behind the frame just taken, has another whole frame,
// and ends that otherwise. So the answers to all frames that arrived together leave in one write. If the next read does
// not come soon, the engine sends what is held back within 5 ms.
func (c *Conn) batch(rest []byte) {
	if more := frameFollows(rest); more && !c.held {
		c.held = true
		c.t.Hold()
	} else if !more {
		c.endBatch()
	}
}

// endBatch releases output that was held back. It is called before every wait for more bytes.
func (c *Conn) endBatch() {
	if c.held {
		c.held = false
		c.t.Release()
	}
}

// receive waits for more bytes.
func (c *Conn) receive() error {
	c.endBatch()
	if room := c.in.receiveSpace(); room != nil && len(c.pull.Unread()) == 0 {
		n, err := c.pull.Read(room)
		if err == nil || n > 0 {
			c.heartbeat.noteActivity()
			c.in.whole, err = c.in.gather(room[:n])
		}
		return err
	}
	_, err := c.pull.Fill()
	if err == nil {
		c.heartbeat.noteActivity()
	}
	return err
}

// answer handles a control frame. A non-nil error ends the connection.
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
