package websocket

import (
	"errors"
	"os"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// halfClosed is what a connection with Config.OnPeerClose knows of the peer's close frame; Conn.mu guards it.
type halfClosed struct {
	tell     func(c *Conn, e *CloseError)
	said     *CloseError   // what the peer has closed with, once the program has been told
	served   *netconn.Conn // to be nudged with the answer
	answered bool          // our close frame is in the queue
}

// answersLater tells the program of the close frame that err is, if it answers those itself.
func (c *Conn) answersLater(t *netconn.Conn, err error) bool {
	ce, ok := err.(*CloseError)
	if !ok {
		return false
	}
	c.mu.Lock()
	r := c.rare
	if r == nil || r.half.tell == nil || c.closed() || c.err != nil || c.t.Draining() {
		c.mu.Unlock()
		return false
	}
	c.in.over = true
	r.half.said, r.half.served = ce, t
	if d := c.set.closeTimeout; d > 0 {
		r.closing = time.AfterFunc(d, func() { _ = c.Close(ce.Code, "") })
	}
	c.mu.Unlock()
	c.t.SetAlarm(0)
	c.in.release()
	r.half.tell(c, ce)
	return true
}

// answer is told that our close frame is in the queue: if it answers the peer's the connection is done. Conn.mu is held; r may
// be nil.
func (r *rarely) answer() {
	if r != nil && r.half.said != nil && !r.half.answered {
		r.half.answered = true
		r.half.served.Nudge()
	}
}

// answered returns what Data does behind the peer's close frame.
func (c *Conn) answered() error {
	c.mu.Lock()
	answered := c.rare.half.answered
	c.mu.Unlock()
	switch {
	case c.ends.Load() == cutOff:
		return netconn.ErrAbort
	case answered:
		return netconn.ErrDone
	}
	return nil
}

// peerDone reports whether the peer has sent its close frame and been given no answer yet.
func (c *Conn) peerDone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rare != nil && c.rare.half.said != nil
}

// afterPeerClose returns what the connection ends with that the transport ended with err: once the peer has closed, only that
// it did not take what was sent is news.
func (c *Conn) afterPeerClose(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rare == nil || c.rare.half.said == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return c.rare.half.said
}
