package http2

import "encoding/binary"

// recvGoAway handles the peer's GOAWAY (RFC 9113 §6.8). Our streams above its last stream were not processed.
func (c *Conn) recvGoAway(p []byte, ev *Event) {
	c.charge(costGoAway)
	last := binary.BigEndian.Uint32(p) & maxStreamID
	*ev = Event{Kind: EventGoAway, LastStream: last, Code: ErrCode(binary.BigEndian.Uint32(p[4:])), Data: p[8:]}
	c.state |= connGone
	c.peerLast = min(c.peerLast, last) // RFC 9113 §6.8: it must not grow
	if !c.client {
		return
	}
	c.streams.each(func(s *Stream) bool {
		if s.id > c.peerLast && s.state != StateClosed && s.state != StateIdle {
			c.close(s, endReset)
			s.flags |= flagReset | flagUnprocessed
			c.unprocessed++
		}
		return true
	})
}

// nextUnprocessed returns the EventReset of a stream that the peer did not process before its GOAWAY.
func (c *Conn) nextUnprocessed(ev *Event) bool {
	c.streams.each(func(s *Stream) bool {
		if !s.has(flagUnprocessed) {
			return true
		}
		s.flags &^= flagUnprocessed
		c.unprocessed--
		*ev = Event{Kind: EventReset, Stream: s, Code: ErrCodeRefusedStream, Err: ErrUnprocessed}
		return false
	})
	return ev.Kind != EventNone
}

// drainAfter is how long Shutdown waits for the peer to have received its first GOAWAY, in nanoseconds.
const drainAfter = 1 * second

// Shutdown starts a graceful end of the connection, in two steps (RFC 9113 §6.8). The first GOAWAY still allows all
// streams. When the peer must have received it, because it has answered a PING or 1 s has passed, a second GOAWAY names
// the last stream that we accepted; later streams are ignored. A client, whose peer opens no streams, sends only the
// second.
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
	c.out = appendGoAway(c.out, maxStreamID, ErrCodeNo, "")
	c.out = appendPing(c.out, 0, pingDrain)
	c.drainDue = now + drainAfter
}

// drainLast is the second step of Shutdown.
func (c *Conn) drainLast() {
	c.drainDue = 0
	c.state |= connFinal
	c.ourLast = c.lastPeer
	c.out = appendGoAway(c.out, c.ourLast, ErrCodeNo, "")
}

// Final reports whether our last GOAWAY has been sent or is pending: the peer can open no more streams.
func (c *Conn) Final() bool { return c.state&connFinal != 0 }

// Drained reports whether a connection that either side is shutting down has nothing left to do: all streams have ended,
// and no more can be opened. What is pending should still be sent.
func (c *Conn) Drained() bool {
	if c.err != nil {
		return true
	}
	over := c.state&connFinal != 0 || c.client && c.state&connGone != 0
	return over && c.active == uint32(c.discarding) && c.unprocessed == 0
}
