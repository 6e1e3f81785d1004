package http2

import "math/bits"

// schedule decides which stream sends next (RFC 9218 §10). Each urgency has two queues: one in the order of identifiers,
// and one of incremental streams that take turns. A stream is queued while it is ready and its own window is open.
type schedule struct {
	queues          *[urgencies][2]*Stream // circular lists, by their first stream; nil until a stream is queued
	nonEmpty        [2]uint8               // bit u: queue u is not empty
	incrementalNext uint8                  // bit u: of urgency u, an incremental stream is next
	peerSignals     bool                   // the peer has sent some priority signal
	early           *earlyPriorities
}

const (
	ordered     = 0
	incremental = 1
)

// next returns the stream that should send next; nil if no ready stream has an open window.
func (q *schedule) next() *Stream {
	some := q.nonEmpty[ordered] | q.nonEmpty[incremental]
	if some == 0 {
		return nil
	}
	u := bits.TrailingZeros8(some)
	which := int(q.incrementalNext >> u & 1)
	if q.nonEmpty[which]>>u&1 == 0 {
		which = 1 - which
	}
	return q.queues[u][which]
}

// rotate moves a stream that has sent behind the others.
func (q *schedule) rotate(s *Stream) {
	if !s.turn.queued() {
		return
	}
	u := s.prio.Urgency
	if s.turn == turnOrdered {
		q.incrementalNext |= 1 << u
	} else {
		q.incrementalNext &^= 1 << u
		if first := &q.queues[u][incremental]; *first == s {
			*first = s.next
		}
	}
	if s.send.left <= 0 {
		q.dequeue(s)
	}
}

// ready adds a stream that has DATA to send.
func (q *schedule) ready(s *Stream) {
	s.turn = turnBlocked
	q.requeue(s)
}

// unready removes a stream that has nothing to send.
func (q *schedule) unready(s *Stream) {
	q.dequeue(s)
	s.turn = turnNone
}

// requeue adds a ready stream to its queue or removes it, according to its window.
func (q *schedule) requeue(s *Stream) {
	switch {
	case s.turn == turnBlocked && s.send.left > 0:
		q.enqueue(s)
	case s.send.left <= 0:
		q.dequeue(s)
	}
}

// turnOf returns which queue of its urgency a stream belongs to.
func (q *schedule) turnOf(s *Stream) turn {
	// RFC 9218 §4.2: streams without the incremental parameter are sent one after the other. But a client that does not
	// know of priorities does not expect that: its short responses would wait for long ones.
	if s.prio.Incremental || !q.peerSignals && !s.signaled {
		return turnIncremental
	}
	return turnOrdered
}

func (q *schedule) enqueue(s *Stream) {
	if q.queues == nil {
		q.queues = new([urgencies][2]*Stream)
	}
	s.turn = q.turnOf(s)
	u, which := s.prio.Urgency, s.turn.queue()
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

func (q *schedule) dequeue(s *Stream) {
	if !s.turn.queued() {
		return
	}
	u, which := s.prio.Urgency, s.turn.queue()
	first := &q.queues[u][which]
	switch {
	case s.next == s:
		*first = nil
		q.nonEmpty[which] &^= 1 << u
	case *first == s:
		*first = s.next
	}
	s.prev.next, s.next.prev = s.next, s.prev
	s.next, s.prev = nil, nil
	s.turn = turnBlocked
}

// setPriority sets the priority of a stream that was signaled for it.
func (q *schedule) setPriority(s *Stream, p PriorityParams) {
	q.dequeue(s)
	p.Urgency = min(p.Urgency, urgencies-1)
	s.prio = p
	s.signaled = true
	q.requeue(s)
}

func (q *schedule) trim() {
	if q.nonEmpty[ordered]|q.nonEmpty[incremental] == 0 {
		q.queues = nil
	}
	if q.early != nil && q.early.n == 0 {
		q.early = nil
	}
}
