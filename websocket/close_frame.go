package websocket

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// closeFrame returns a close frame in a buffer from the pool.
func (c *Conn) closeFrame(code CloseCode, reason string) ([]byte, error) {
	var room [wsframe.MaxControlPayload]byte
	payload, err := wsframe.AppendClose(room[:0], code, reason)
	if err != nil {
		return nil, err
	}
	return c.control(wsframe.Close, payload), nil
}

// postCloseLast sends the close frame after everything that waits in line. Nothing can be sent after it. It takes over
// frame, a buffer from the pool.
func (c *Conn) postCloseLast(frame []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.outbox; o != nil && o.moving {
		if err := o.closedError(); err != nil {
			bufpool.Put(frame)
			return err
		}
		o.closeQueued = true
		o.room.Broadcast()
		c.addToLine(outboxItem{frame: frame, unit: netconn.Final})
		return nil
	}
	err := c.postCloseNow(frame)
	c.rare.noteCloseSent()
	return err
}

// postCloseNow drops the line and sends the close frame. It takes over frame, a buffer from the pool. c.mu must be held.
func (c *Conn) postCloseNow(frame []byte) error {
	if o := c.outbox; o != nil {
		o.closeQueued = true
		bufpool.Put(o.clear())
	}
	_, err := c.t.Post(netconn.Final, frame)
	bufpool.Put(frame)
	return writeError(err)
}

// postClose drops the line and sends a close frame, as the answer to something that the peer did.
func (c *Conn) postClose(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.postCloseNow(frame)
}

// closeSlowPeer ends the connection because the peer is too slow. The close frame goes behind the data in the output
// queue, and the peer has CloseTimeout to take it. c.mu must be held.
func (c *Conn) closeSlowPeer() {
	if c.err == nil {
		c.err = ErrSlowPeer
	}
	if frame, err := c.closeFrame(ClosePolicyViolation, ""); err == nil {
		c.postCloseNow(frame)
	}
	go func() {
		c.abortLater()
		c.readToTheEnd()
	}()
}
