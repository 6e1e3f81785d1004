package websocket

import (
	"context"
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Close sends a close frame with code and reason and waits for the peer's, at most Config.CloseTimeout; messages that
// come meanwhile are dropped (RFC 6455 §7.1.2). A reason longer than 123 bytes is cut. CloseNoStatus sends a frame
// without a code. It returns net.ErrClosed if the connection has been closed before, an error if code cannot be sent,
// and os.ErrDeadlineExceeded if the peer did not answer; the connection is over in any case but that of the code.
//
// With Config.OnMessage it does not wait: it may be called by a callback. OnClose tells the end.
func (c *Conn) Close(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	if !c.closer.CompareAndSwap(false, true) {
		bufpool.Put(frame)
		return net.ErrClosed
	}
	c.abortLater() // whatever holds it up: a peer that does not read, or one that does not answer
	if c.set.onMessage != nil {
		return c.sendLast(frame)
	}
	if err := c.waitLast(frame); err != nil {
		return err
	}
	c.fail(net.ErrClosed)
	c.readToTheEnd()
	if c.expired.Load() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// sendLast sends the close frame of a connection with callbacks, and waits for nothing.
func (c *Conn) sendLast(frame []byte) error {
	ok, err := c.t.Post(netconn.Final, frame)
	if err != nil || ok {
		bufpool.Put(frame)
		if err == nil {
			c.fail(net.ErrClosed)
		}
		return writeError(err)
	}
	c.fail(net.ErrClosed)
	go c.waitLast(frame)
	return nil
}

// waitLast sends the close frame, after which nothing can be sent.
func (c *Conn) waitLast(frame []byte) error {
	defer bufpool.Put(frame)
	err := c.t.WriteUnit(context.Background(), netconn.Final, frame, nil)
	if err != nil && c.expired.Load() {
		c.fail(os.ErrDeadlineExceeded)
		c.readToTheEnd()
		return os.ErrDeadlineExceeded
	}
	return writeError(err)
}

// CloseNow ends the connection at once, without a close frame. The peer sees a reset.
func (c *Conn) CloseNow() error {
	if c.over.Load() {
		return net.ErrClosed
	}
	c.fail(net.ErrClosed)
	c.t.Abort()
	if c.set.onMessage == nil && c.reading.TryLock() {
		defer c.reading.Unlock()
		if !c.over.Load() {
			c.hangUp(net.ErrClosed)
		}
	}
	return nil
}

// closeFrame returns a close frame, leased.
func (c *Conn) closeFrame(code CloseCode, reason string) ([]byte, error) {
	var room [wsframe.MaxControlPayload]byte
	payload, err := wsframe.AppendClose(room[:0], code, reason)
	if err != nil {
		return nil, err
	}
	return c.control(wsframe.Close, payload), nil
}

// postClose sends the close frame, after which nothing can be sent, unless the peer has not taken what was sent before.
func (c *Conn) postClose(code CloseCode, reason string) error {
	frame, err := c.closeFrame(code, reason)
	if err != nil {
		return err
	}
	defer bufpool.Put(frame)
	_, err = c.t.Post(netconn.Final, frame)
	return err
}

// readToTheEnd drops what comes, until the connection is over.
func (c *Conn) readToTheEnd() {
	if c.set.onMessage != nil {
		return // the engine reads
	}
	c.reading.Lock()
	defer c.reading.Unlock()
	c.t.SetReadDeadline(noDeadline)
	for !c.over.Load() {
		c.read(nil)
		c.in.release()
	}
}

// abortLater ends the connection when CloseTimeout has passed, unless it is over then.
func (c *Conn) abortLater() {
	if c.set.closeTimeout == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Load() {
		return
	}
	c.closing = time.AfterFunc(c.set.closeTimeout, func() {
		c.expired.Store(true)
		c.t.Abort()
	})
}
