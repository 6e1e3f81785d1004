package http2

import "encoding/binary"

// recvGoAway takes the peer's GOAWAY (RFC 9113 §6.8). Streams of ours above its last one were not worked on.
func (c *Conn) recvGoAway(p []byte, ev *Event) {
	c.charge(costGoAway)
	last := binary.BigEndian.Uint32(p) & maxStreamID
	*ev = Event{Kind: GoAway, LastStream: last, Code: Code(binary.BigEndian.Uint32(p[4:])), Data: p[8:]}
	c.state |= connGone
	c.peerLast = min(c.peerLast, last) // RFC 9113 §6.8: it must not grow
	if !c.client {
		return
	}
	c.streams.each(func(s *Stream) bool {
		if s.id > c.peerLast && s.state != Closed && s.state != Idle {
			c.close(s, endReset)
			s.flags |= flagReset | flagRefused
			c.leftOut++
		}
		return true
	})
}

// nextLeftOut gives the Reset event of a stream that the peer's GOAWAY left out.
func (c *Conn) nextLeftOut(ev *Event) bool {
	c.streams.each(func(s *Stream) bool {
		if !s.has(flagRefused) {
			return true
		}
		s.flags &^= flagRefused
		c.leftOut--
		*ev = Event{Kind: Reset, Stream: s, Code: RefusedStream, Err: errRefused}
		return false
	})
	return ev.Kind != None
}

// drainAfter is how long Shutdown waits for the peer to have seen its first GOAWAY, in nanoseconds.
const drainAfter = 1 * second

// Shutdown begins to end the connection gracefully, in two steps (RFC 9113 §6.8): GOAWAY that still lets all streams
// through, and when the peer must have seen it (a PING comes back, or 1 s has passed) GOAWAY with the last stream we
// took. Streams that the peer opens behind that are ignored. A client, whose peer opens none, says it in one step.
func (c *Conn) Shutdown(now int64) {
	if c.err != nil || c.state&connShutting != 0 {
		return
	}
	c.now = now
	c.state |= connShutting
	if c.client {
		c.drainLast()
		return
	}
	c.out = appendGoAway(c.out, maxStreamID, NoError, "")
	c.out = appendPing(c.out, 0, pingDrain)
	c.drainDue = now + drainAfter
}

// drainLast is the second step of Shutdown.
func (c *Conn) drainLast() {
	c.drainDue = 0
	c.state |= connFinal
	c.ourLast = c.lastPeer
	c.out = appendGoAway(c.out, c.ourLast, NoError, "")
}

// Drained reports whether a connection that shuts down, at either end's wish, has nothing left to do: all streams have
// ended, and no more can come. What is pending should still be sent.
func (c *Conn) Drained() bool {
	if c.err != nil {
		return true
	}
	over := c.state&connFinal != 0 || c.client && c.state&connGone != 0
	return over && c.active == uint32(c.left) && c.leftOut == 0
}
