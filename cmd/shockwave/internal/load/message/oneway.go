package message

import (
	"io"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// oneWayConn is a connection of a slot on which messages are only sent. The slot's lock guards it. A goroutine sends, the
// sender, which runs as long as there is something to send:
//
//	Nudge ─► sender: claim ─► Write ─► sent ─► claim … ─► nothing is due: it ends
//	                                            └─► the time is over: our direction ends; wait for the other side's end
//
// A message counts as sent when the kernel has accepted it. The other side has read all messages when it ends its
// direction after ours has ended: if it closes with bytes unread, the kernel resets the connection, which is an error.
// If the other side ends by itself at the same moment, that looks the same.
type oneWayConn struct {
	slot     *drive.Slot
	net      *netconn.Conn
	messages *messages
	script   *pipeline.Script
	depth    int    // messages in a write
	frames   frames // over WebSocket

	claimed   []drive.Group // messages of the current write
	sending   bool          // the sender is running
	sentEnd   bool          // our direction has ended or is about to
	peerEnded bool          // the server has sent a close frame
	badInput  bool          // the server broke a rule
	timedOut  bool
	ended     bool
}

// Expire implements drive.Conn.
func (c *oneWayConn) Expire(before int64) {
	c.slot.Lock()
	overdue := !c.ended && !c.badInput && len(c.claimed) > 0 && c.claimed[0].Sent < before
	c.slot.Unlock()
	if overdue {
		c.Abort()
	}
}

// Abort implements drive.Conn.
func (c *oneWayConn) Abort() {
	c.slot.Lock()
	c.timedOut = !c.badInput
	c.slot.Unlock()
	c.net.Abort()
}

// Data implements netconn.Protocol. Input is dropped, except for control frames of WebSocket.
func (c *oneWayConn) Data(_ *netconn.Conn, in []byte) (taken int, err error) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if c.slot.Over() {
		return len(in), netconn.ErrAbort
	}
	if !c.messages.webSocket {
		return len(in), nil
	}
	for taken < len(in) {
		p, n, err := c.frames.next(in[taken:])
		if n == 0 && err == nil {
			break // incomplete header
		}
		taken += n
		if err == nil && p.last && c.frames.opcode.IsControl() {
			err = c.frames.respond(c.net)
		}
		switch {
		case err == netconn.ErrDone:
			c.peerEnded = true
			return len(in), err
		case err != nil:
			c.badInput = true
			return taken, netconn.ErrAbort
		}
	}
	return taken, nil
}

// End implements netconn.Protocol. The messages are known to be read only if the other side has ended its direction after
// ours.
func (c *oneWayConn) End(_ *netconn.Conn, err error) {
	c.slot.Lock()
	defer c.slot.Unlock()
	c.ended = true
	if !c.slot.Over() {
		c.count(err)
	}
	c.slot.Ended(false)
}

func (c *oneWayConn) count(err error) {
	t, left := c.slot.Tally(), c.inFlight()
	kind := &t.Errors.Closed
	switch {
	case c.timedOut:
		kind = &t.Errors.Timeout
	case c.badInput:
		kind = &t.Errors.Protocol
	case left == 0 && c.sentEnd && c.endedInOrder(err):
		t.Confirmed++
		return
	}
	if left == 0 {
		*kind++
	}
	for range left {
		c.slot.Fail(kind, 0)
	}
	c.claimed = c.claimed[:0]
}

// inFlight returns how many messages are being written.
func (c *oneWayConn) inFlight() (n int) {
	for _, g := range c.claimed {
		n += g.N
	}
	return n
}

// endedInOrder reports whether the other side has ended its direction: by a close frame, or by FIN. With TLS a FIN
// without a close_notify alert also counts, because many programs do not send the alert.
func (c *oneWayConn) endedInOrder(err error) bool {
	if c.messages.webSocket {
		return c.peerEnded
	}
	return err == io.EOF || err == io.ErrUnexpectedEOF
}
