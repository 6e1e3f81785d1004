package http2

import "encoding/binary"

// PriorityParams are the priority parameters of RFC 9218 §4.
type PriorityParams struct {
	Urgency     uint8 // 0, the most urgent, to 7
	Incremental bool
}

// DefaultPriority applies if no priority was signaled (RFC 9218 §4).
var DefaultPriority = PriorityParams{Urgency: 3}

// Append appends the parameters as the value of a priority field.
func (p PriorityParams) Append(dst []byte) []byte {
	dst = append(dst, "u="...)
	dst = append(dst, '0'+min(p.Urgency, urgencies-1))
	if p.Incremental {
		dst = append(dst, ", i"...)
	}
	return dst
}

// firstPriority sets the priority of a new stream: from a PRIORITY_UPDATE that came before it, or else from its priority
// field.
func (c *Conn) firstPriority(s *Stream, value string) {
	if value != "" {
		c.sched.peerSignals = true
		s.prio = ParsePriority(value)
		s.flags |= flagPriority
	}
	for i, e := range c.sched.early {
		if e.id == s.id {
			s.prio = e.prio
			s.flags |= flagPriority
			c.sched.early = append(c.sched.early[:i], c.sched.early[i+1:]...)
			return
		}
	}
}

// recvPriorityUpdate handles a client's PRIORITY_UPDATE (RFC 9218 §7.1).
func (c *Conn) recvPriorityUpdate(h FrameHeader, p []byte, ev *Event) {
	c.charge(costPriority)
	id := binary.BigEndian.Uint32(p) & maxStreamID
	switch {
	case c.client:
		c.fail(errUpdateSender)
		return
	case id&1 == 0:
		c.fail(errUpdateStream)
		return
	case c.err != nil || int(h.Length) != len(p):
		return // only a prefix was kept, see wholePart; a value that long has no meaning
	}
	c.sched.peerSignals = true
	prio := ParsePriority(p[4:])
	if id > c.lastPeer {
		c.earlyPriority(id, prio)
		return
	}
	if s := c.live(id); s != nil {
		c.SetPriority(s, prio)
		*ev = Event{Kind: EventPriority, Stream: s}
	}
}

// earlyPriority keeps the priority of a stream that is not open yet. It keeps the last maxEarly of them.
func (c *Conn) earlyPriority(id uint32, prio PriorityParams) {
	early := c.sched.early
	for i := range early {
		if early[i].id == id {
			early[i].prio = prio
			return
		}
	}
	if len(early) == maxEarly {
		early = append(early[:0], early[1:]...)
	}
	c.sched.early = append(early, earlyPriority{id, prio})
}

// AppendPriorityUpdate appends a PRIORITY_UPDATE frame for a stream that a client has opened (RFC 9218 §7.1).
func (c *Conn) AppendPriorityUpdate(dst []byte, s *Stream, p PriorityParams) []byte {
	dst = c.AppendPending(dst)
	if c.err != nil || !c.client || s.state == StateClosed || s.state == StateIdle {
		return dst
	}
	start := len(dst)
	dst = FrameHeader{Type: FramePriorityUpdate}.Append(dst)
	dst = binary.BigEndian.AppendUint32(dst, s.id)
	dst = p.Append(dst)
	dst[start+2] = byte(len(dst) - start - FrameHeaderLen)
	c.SetPriority(s, p)
	return dst
}
