package websocket

import (
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// closeFrame returns a close frame, leased.
func (c *Conn) closeFrame(code CloseCode, reason string) ([]byte, error) {
	var room [wsframe.MaxControlPayload]byte
	payload, err := wsframe.AppendClose(room[:0], code, reason)
	if err != nil {
		return nil, err
	}
	return c.control(wsframe.Close, payload), nil
}

// postLast sends the close frame behind what is in line. Nothing can be sent after it. frame is leased, and given back.
func (c *Conn) postLast(frame []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if o := c.outbox; o != nil && o.moving {
		if err := o.refuses(); err != nil {
			bufpool.Put(frame)
			return err
		}
		o.last = true
		o.room.Broadcast()
		c.stand(parcel{frame: frame, unit: netconn.Final})
		return nil
	}
	err := c.postNow(frame)
	c.rare.answer()
	return err
}

// postNow sends the close frame before what is in line, which is dropped. c.mu is held.
func (c *Conn) postNow(frame []byte) error {
	if o := c.outbox; o != nil {
		o.last = true
		bufpool.Put(o.clear())
	}
	_, err := c.t.Post(netconn.Final, frame)
	bufpool.Put(frame)
	return writeError(err)
}

// postClose sends the close frame that answers what the peer has done.
func (c *Conn) postClose(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.postNow(frame)
}

// dismiss ends the connection of a peer that is too slow: it is told why behind what is in the queue, and has CloseTimeout
// to take that. c.mu is held.
func (c *Conn) dismiss() {
	if c.err == nil {
		c.err = ErrSlowPeer
	}
	if frame, err := c.closeFrame(ClosePolicyViolation, ""); err == nil {
		c.postNow(frame)
	}
	go func() {
		c.abortLater()
		c.readToTheEnd()
	}()
}
