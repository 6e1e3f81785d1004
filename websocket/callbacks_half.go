package websocket

import (
	"errors"
	"os"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// halfClosed is the state of a connection with Config.OnPeerClose after the peer's close frame. Conn.mu guards it.
type halfClosed struct {
	onPeerClose func(c *Conn, e *CloseError)
	peerClose   *CloseError   // the peer's close frame, once OnPeerClose is to be called
	conn        *netconn.Conn // to be nudged when the answer is queued
	answered    bool          // our close frame is in the output queue
}

// deferCloseAnswer calls OnPeerClose if err is a close frame of the peer that the program is to answer. It reports
// whether it did.
func (c *Conn) deferCloseAnswer(t *netconn.Conn, err error) bool {
	ce, ok := err.(*CloseError)
	if !ok {
		return false
	}
	c.mu.Lock()
	r := c.rare
	if r == nil || r.half.onPeerClose == nil || c.closed() || c.err != nil || c.t.Draining() {
		c.mu.Unlock()
		return false
	}
	c.in.peerClosed = true
	r.half.peerClose, r.half.conn = ce, t
	if d := c.cfg.closeTimeout; d > 0 {
		r.closing = clock.AfterFunc(d, func() { _ = c.Close(ce.Code, "") })
	}
	c.mu.Unlock()
	c.t.SetAlarm(0)
	c.in.release()
	r.half.onPeerClose(c, ce)
	return true
}

// noteCloseSent is called when our close frame is in the output queue. If it answers the peer's, the connection is done.
// Conn.mu must be held; r may be nil.
func (r *rareState) noteCloseSent() {
	if r != nil && r.half.peerClose != nil && !r.half.answered {
		r.half.answered = true
		r.half.conn.Nudge()
	}
}

// dataAfterPeerClose returns the result of Data for anything that arrives after the peer's close frame.
func (c *Conn) dataAfterPeerClose() error {
	c.mu.Lock()
	answered := c.rare.half.answered
	c.mu.Unlock()
	switch {
	case c.endState.Load() == endCutOff:
		return netconn.ErrAbort
	case answered:
		return netconn.ErrDone
	}
	return nil
}

// peerHasClosed reports whether the peer's close frame has been passed to OnPeerClose.
func (c *Conn) peerHasClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rare != nil && c.rare.half.peerClose != nil
}

// afterPeerClose returns the reason why the connection ended when the transport ended with err. After the peer's close
// frame this is the frame, unless the peer did not take everything that was sent.
func (c *Conn) afterPeerClose(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rare == nil || c.rare.half.peerClose == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return c.rare.half.peerClose
}
