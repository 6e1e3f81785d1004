package websocket

import (
	"net"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// Close sends a close frame with code and reason and waits for the peer's, at most Config.CloseTimeout; messages that
// come meanwhile are dropped (RFC 6455 §7.1.2). A reason longer than 123 bytes is cut. CloseNoStatus sends a frame
// without a code. It returns net.ErrClosed if the connection has been closed before, an error if code cannot be sent,
// and os.ErrDeadlineExceeded if the peer did not answer; the connection is over in any case but that of the code.
//
// With Config.OnMessage it does not wait: it may be called by a callback. OnClose tells the end.
func (c *Conn) Close(code CloseCode, reason string) error {
	c.closer.Store(true)
	if err := c.sendClose(code, reason); err != nil {
		return err
	}
	c.fail(net.ErrClosed)
	if c.set.OnMessage != nil {
		c.abortLater()
		return nil
	}
	return c.awaitClose(c.set.CloseTimeout)
}

// CloseNow ends the connection at once, without a close frame. The peer sees a reset.
func (c *Conn) CloseNow() error {
	if c.isOver() {
		return net.ErrClosed
	}
	c.fail(net.ErrClosed)
	c.t.Abort()
	if c.set.OnMessage == nil && c.reading.TryLock() {
		defer c.reading.Unlock()
		if !c.isOver() {
			c.hangUp(net.ErrClosed)
		}
	}
	return nil
}

// sendClose sends the close frame, after which nothing can be sent.
func (c *Conn) sendClose(code CloseCode, reason string) error {
	var room [wsframe.MaxControlPayload]byte
	payload, err := wsframe.AppendClose(room[:0], code, reason)
	if err != nil {
		return err
	}
	frame := c.control(wsframe.Close, payload)
	defer bufpool.Put(frame)
	return c.t.Last(frame)
}

// awaitClose waits for the peer's close frame, after ours: it reads if nobody else does.
func (c *Conn) awaitClose(timeout time.Duration) error {
	c.t.SetReadDeadline(time.Now().Add(timeout))
	if !c.reading.TryLock() {
		select {
		case <-c.Done():
			return nil
		case <-time.After(timeout):
			c.t.Abort()
			<-c.Done()
			return os.ErrDeadlineExceeded
		}
	}
	defer c.reading.Unlock()
	for {
		if _, err := c.read(nil); err != nil {
			if c.isOver() {
				return nil
			}
			c.t.Abort()
			c.hangUp(net.ErrClosed)
			return err
		}
		c.in.release()
	}
}

// abortLater ends a connection with callbacks whose peer does not answer our close frame.
func (c *Conn) abortLater() {
	timer := time.AfterFunc(c.set.CloseTimeout, c.t.Abort)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		timer.Stop()
		return
	}
	c.closing = timer
}
