package http2

import "math/bits"

// schedule is who sends next (RFC 9218 §10): of each urgency two queues, one in the order of identifiers and one in
// turns. A stream stands in a queue while it is ready and has a window of its own.
type schedule struct {
	queues  *[urgencies][2]*Stream // circles, by their first stream; nil while nobody is queued
	some    [2]uint8               // bit u: there is somebody in queue u
	turn    uint8                  // bit u: of urgency u, the incremental ones are next
	signals bool                   // the peer has said something about priorities
	early   []earlyPriority
}

// earlyPriority is what was said about a stream that is not there yet (RFC 9218 §7.1).
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

// line returns the queue of the stream.
func (c *Conn) line(s *Stream) int {
	// RFC 9218 §4.2: who leaves the parameter out wants its responses one after the other. A client that knows nothing of
	// priorities wants no such thing, and would wait for a long response to send a short one.
	if s.prio.Incremental || !c.sched.signals && !s.has(flagPriority) {
		return incremental
	}
	return ordered
}

// NextSender returns the stream that is to send next, or nil if no stream that is ready has a window: the most urgent
// (RFC 9218 §10), among equals the one with the lowest identifier, in turns with the incremental ones, which take turns
// among themselves. Streams whose client never says a word about priorities are incremental. It is the owner's to append
// DATA of that stream; how much at once is how fair it is.
func (c *Conn) NextSender() *Stream {
	some := c.sched.some[ordered] | c.sched.some[incremental]
	if some == 0 || c.sendWin <= 0 || c.err != nil {
		return nil
	}
	u := bits.TrailingZeros8(some)
	which := int(c.sched.turn >> u & 1)
	if c.sched.some[which]>>u&1 == 0 {
		which = 1 - which
	}
	return c.sched.queues[u][which]
}

// rotate has the others come before a stream that has sent.
func (c *Conn) rotate(s *Stream) {
	if !s.has(flagQueued) {
		return
	}
	u := s.prio.Urgency
	if !s.has(flagTurns) {
		c.sched.turn |= 1 << u
	} else {
		c.sched.turn &^= 1 << u
		if first := &c.sched.queues[u][incremental]; *first == s {
			*first = s.next
		}
	}
	if s.sendWin <= 0 {
		c.dequeue(s)
	}
}

// Ready marks a stream that has DATA to send. It stays so until Unready, or until our message or the stream has ended.
func (c *Conn) Ready(s *Stream, now int64) {
	if s.has(flagReady) || !s.maySend() || c.err != nil {
		return
	}
	c.now = now
	s.flags |= flagReady
	c.await(s)
	c.requeue(s)
}

// Unready takes Ready back: the stream has nothing to send for now.
func (c *Conn) Unready(s *Stream) {
	s.flags &^= flagReady
	c.dequeue(s)
}

// requeue puts a stream into its queue, or takes it out, as its state demands.
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
	u, which := s.prio.Urgency, c.line(s)
	s.flags |= flagQueued
	s.flags &^= flagTurns
	if which == incremental {
		s.flags |= flagTurns
	}
	first := &q.queues[u][which]
	if *first == nil {
		s.next, s.prev, *first = s, s, s
		q.some[which] |= 1 << u
		return
	}
	before := (*first).prev // behind the last; in order, behind the last with a lower identifier
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
	if s.has(flagTurns) {
		which = incremental
	}
	first := &c.sched.queues[s.prio.Urgency][which]
	switch {
	case s.next == s:
		*first = nil
		c.sched.some[which] &^= 1 << s.prio.Urgency
	case *first == s:
		*first = s.next
	}
	s.prev.next, s.next.prev = s.next, s.prev
	s.next, s.prev = nil, nil
	s.flags &^= flagQueued
}

// SetPriority sets a stream's priority, as a response's priority field would (RFC 9218 §8).
func (c *Conn) SetPriority(s *Stream, p PriorityParams) {
	c.dequeue(s)
	p.Urgency = min(p.Urgency, urgencies-1)
	s.prio = p
	s.flags |= flagPriority
	c.requeue(s)
}

func (q *schedule) trim() {
	if q.some[ordered]|q.some[incremental] == 0 {
		q.queues = nil
	}
	if len(q.early) == 0 {
		q.early = nil
	}
}
