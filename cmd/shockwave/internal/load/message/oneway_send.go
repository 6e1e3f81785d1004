package message

import (
	"context"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// startOneWay attaches nc to s and starts to send.
func startOneWay(
	s *drive.Slot, nc *netconn.Conn, m *messages, script *pipeline.Script, depth int,
) (netconn.Protocol, error) {
	c := &oneWayConn{slot: s, net: nc, messages: m, script: script, depth: depth, frames: newFrames(m.spec.Deflate)}
	c.claimed = make([]drive.Group, 0, depth)
	s.Lock()
	defer s.Unlock()
	if err := s.Attach(c); err != nil {
		return nil, err
	}
	s.Restart()
	c.startSender()
	return c, nil
}

// Nudge implements drive.Conn.
func (c *oneWayConn) Nudge(int64) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if !c.slot.Over() && !c.ended {
		c.startSender()
	}
}

// startSender starts a sender unless one is running.
func (c *oneWayConn) startSender() {
	if !c.sending {
		c.sending = true
		c.slot.Go(c.send)
	}
}

// send sends until nothing is due.
func (c *oneWayConn) send() {
	for {
		messages, ends := c.claim()
		switch {
		case ends:
			c.endHalf()
			return
		case messages == nil:
			return
		}
		if _, err := c.net.Write(messages); err != nil {
			return // End handles the error
		}
		c.sent()
	}
}

// claim puts the messages of the next write in flight and returns them. Without messages the sender must return; ends
// reports that it must end our direction before that.
func (c *oneWayConn) claim() (messages []byte, ends bool) {
	c.slot.Lock()
	defer c.slot.Unlock()
	switch {
	case c.ended || c.slot.Over():
		return nil, false
	case c.slot.Ending():
		c.sentEnd = true
		return nil, true
	}
	first, n, now := 0, 0, c.slot.Now()
	for n < c.depth {
		g, turn := c.slot.Claim(now, c.depth-n)
		if g.N == 0 {
			break
		}
		if n == 0 {
			first = turn
		}
		c.claimed = append(c.claimed, g)
		n += g.N
	}
	if n == 0 {
		c.sending = false
		return nil, false
	}
	return c.script.Batch(first, n), false
}

// sent counts the claimed messages as sent.
func (c *oneWayConn) sent() {
	c.slot.Lock()
	defer c.slot.Unlock()
	if c.ended || c.slot.Over() {
		return
	}
	now := c.slot.Now()
	for _, g := range c.claimed {
		for range g.N {
			c.slot.Answered(g, 0, 0, now, nil)
		}
	}
	c.claimed = c.claimed[:0]
}

// closeFrame is the payload of a close frame with code 1000.
var closeFrame, _ = wsframe.AppendClose(nil, wsframe.CloseNormal, "")

// endHalf ends our direction. If that fails the connection ends and End is called.
func (c *oneWayConn) endHalf() {
	if !c.messages.webSocket {
		_ = c.net.CloseWrite()
		return
	}
	frame := appendMasked(nil, wsframe.Final(wsframe.Close), closeFrame)
	_ = c.net.WriteUnit(context.Background(), netconn.Final, nil, frame)
}
