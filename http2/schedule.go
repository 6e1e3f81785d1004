package http2

import "math/bits"

// schedule decides which stream sends next (RFC 9218 §10). Each urgency has two queues: one in the order of identifiers,
// and one of incremental streams that take turns. A stream is queued while it is ready and its own window is open.
type schedule struct {
	queues          *[urgencies][2]*Stream // circular lists, by their first stream; nil until a stream is queued
	nonEmpty        [2]uint8               // bit u: queue u is not empty
	incrementalNext uint8                  // bit u: of urgency u, an incremental stream is next
	peerSignals     bool                   // the peer has sent some priority signal
	early           []earlyPriority
}

// earlyPriority is the priority of a stream that is not open yet (RFC 9218 §7.1).
type earlyPriority struct {
	id   uint32
	prio PriorityParams
}

const (
	urgencies = 8
	maxEarly  = 8 // streams

	ordered     = 0
	incremental = 1
)

// queueOf returns which queue of its urgency the stream belongs to.
func (c *Conn) queueOf(s *Stream) int {
	// RFC 9218 §4.2: streams without the incremental parameter are sent one after the other. But a client that does not
	// know of priorities does not expect that: its short responses would wait for long ones.
	if s.prio.Incremental || !c.sched.peerSignals && !s.has(flagPriority) {
		return incremental
	}
	return ordered
}

// NextSender returns the stream that should send next, nil if no ready stream has an open window. It prefers the most
// urgent streams (RFC 9218 §10). Among those it alternates between the stream with the lowest identifier and the
// incremental streams, which take turns. If the client never sends a priority signal, all its streams count as
// incremental. The owner then appends DATA of that stream; the fewer bytes it appends at once, the more evenly streams
// share the connection.
func (c *Conn) NextSender() *Stream {
	some := c.sched.nonEmpty[ordered] | c.sched.nonEmpty[incremental]
	if some == 0 || c.sendWin <= 0 || c.err != nil {
		return nil
	}
	u := bits.TrailingZeros8(some)
	which := int(c.sched.incrementalNext >> u & 1)
	if c.sched.nonEmpty[which]>>u&1 == 0 {
		which = 1 - which
	}
	return c.sched.queues[u][which]
}

// rotate moves a stream that has sent behind the others.
func (c *Conn) rotate(s *Stream) {
	if !s.has(flagQueued) {
		return
	}
	u := s.prio.Urgency
	if !s.has(flagIncremental) {
		c.sched.incrementalNext |= 1 << u
	} else {
		c.sched.incrementalNext &^= 1 << u
		if first := &c.sched.queues[u][incremental]; *first == s {
			*first = s.next
		}
	}
	if s.sendWin <= 0 {
		c.dequeue(s)
	}
}

// Ready marks a stream that has DATA to send. The mark stays until Unready, or until our message or the stream ends.
func (c *Conn) Ready(s *Stream, now int64) {
	if s.has(flagReady) || !s.maySend() || c.err != nil {
		return
	}
	c.now = now
	s.flags |= flagReady
	c.armStall(s)
	c.requeue(s)
}

// Unready removes the mark: the stream has nothing to send for now.
func (c *Conn) Unready(s *Stream) {
	s.flags &^= flagReady
	c.dequeue(s)
}

// requeue adds a stream to its queue or removes it, according to its state.
func (c *Conn) requeue(s *Stream) {
	switch wants := s.has(flagReady) && s.sendWin > 0; {
	case wants && !s.has(flagQueued):
		c.enqueue(s)
	case !wants:
		c.dequeue(s)
	}
}

func (c *Conn) enqueue(s *Stream) {
	q := &c.sched
	if q.queues == nil {
		q.queues = new([urgencies][2]*Stream)
	}
	u, which := s.prio.Urgency, c.queueOf(s)
	s.flags |= flagQueued
	s.flags &^= flagIncremental
	if which == incremental {
		s.flags |= flagIncremental
	}
	first := &q.queues[u][which]
	if *first == nil {
		s.next, s.prev, *first = s, s, s
		q.nonEmpty[which] |= 1 << u
		return
	}
	before := (*first).prev // insert after the last stream, or in order after the last one with a lower identifier
	if which == ordered {
		for before.id > s.id && before != *first {
			before = before.prev
		}
		if before.id > s.id {
			before = before.prev
			*first = s
		}
	}
	s.prev, s.next = before, before.next
	s.prev.next, s.next.prev = s, s
}

func (c *Conn) dequeue(s *Stream) {
	if !s.has(flagQueued) {
		return
	}
	which := ordered
	if s.has(flagIncremental) {
		which = incremental
	}
	first := &c.sched.queues[s.prio.Urgency][which]
	switch {
	case s.next == s:
		*first = nil
		c.sched.nonEmpty[which] &^= 1 << s.prio.Urgency
	case *first == s:
		*first = s.next
	}
	s.prev.next, s.next.prev = s.next, s.prev
	s.next, s.prev = nil, nil
	s.flags &^= flagQueued
}

// SetPriority sets the priority of a stream, for example from the priority field of the response (RFC 9218 §8).
func (c *Conn) SetPriority(s *Stream, p PriorityParams) {
	c.dequeue(s)
	p.Urgency = min(p.Urgency, urgencies-1)
	s.prio = p
	s.flags |= flagPriority
	c.requeue(s)
}

func (q *schedule) trim() {
	if q.nonEmpty[ordered]|q.nonEmpty[incremental] == 0 {
		q.queues = nil
	}
	if len(q.early) == 0 {
		q.early = nil
	}
}
