package websocket

import "github.com/shockwave-go/shockwave/internal/wire/wsframe"

// read returns the next message, which is valid until in.release or the next read. It is in dst if it came in one frame
// and fits. c.reading must be held.
func (c *Conn) read(dst []byte) ([]byte, error) {
	if c.onMessage != nil {
		return nil, errCallbacks
	}
	if err := c.leaveStream(); err != nil {
		return nil, err
	}
	if err := c.readExpired(); err != nil {
		return nil, err
	}
	if c.in.whole {
		c.in.whole = false
		return c.in.msg, nil
	}
	for !c.finished.Load() {
		b, err := c.arrived()
		var e event
		var p []byte
		if err == nil {
			e, p, err = c.take(b, dst)
		}
		if e == nothing && err == nil {
			e, p, err = c.receive()
		}
		switch {
		case err != nil:
			return nil, c.readFailed(err)
		case e == message:
			return p, nil
		case e != nothing:
			err = c.answer(e, p)
			c.in.release()
			if err != nil {
				return nil, c.readFailed(err)
			}
		}
	}
	return nil, c.readError(c.Err())
}

// arrived returns the bytes that have arrived, and waits for some if there can be no event without.
func (c *Conn) arrived() ([]byte, error) {
	b := c.pull.Unread()
	if len(b) == 0 && !c.in.framed { // a compressed frame may be without payload
		return c.fill()
	}
	return b, nil
}

// take takes the next event from b, the bytes that have arrived.
func (c *Conn) take(b, dst []byte) (event, []byte, error) {
	e, p, n, err := c.in.take(b, dst)
	c.pull.Take(n)
	if e != nothing && err == nil && (n < len(b) || c.held) {
		c.batch(b[n:])
	}
	return e, p, err
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

// fill waits for more bytes and returns the bytes that have not been taken.
func (c *Conn) fill() ([]byte, error) {
	c.endBatch()
	b, err := c.pull.Fill()
	if err == nil {
		c.noteActivity()
	}
	return b, err
}

// receive waits for more bytes. Payload of a large frame is received to its place in the message.
func (c *Conn) receive() (e event, p []byte, err error) {
	if !c.in.readsDirectly() || c.in.stream != nil || len(c.pull.Unread()) > 0 {
		_, err = c.fill()
		return nothing, nil, err
	}
	c.endBatch()
	room := c.in.receiveSpace()
	n, err := c.pull.Read(room)
	if n == 0 {
		return nothing, nil, err
	}
	c.noteActivity()
	if done, err := c.in.gather(room[:n]); !done || err != nil {
		return nothing, nil, err
	}
	return message, c.in.msg, nil
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
