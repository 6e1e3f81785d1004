package http2

import "encoding/binary"

// earlyPriorities are the priorities of streams that are not open yet, the oldest first (RFC 9218 §7.1).
type earlyPriorities struct {
	n   int
	all [maxEarly]earlyPriority
}

type earlyPriority struct {
	id   uint32
	prio PriorityParams
}

const maxEarly = 8 // streams

// keep keeps a priority. If there are too many, the oldest is dropped.
func (e *earlyPriorities) keep(id uint32, prio PriorityParams) {
	for i := range e.all[:e.n] {
		if e.all[i].id == id {
			e.all[i].prio = prio
			return
		}
	}
	if e.n == maxEarly {
		e.drop(0)
	}
	e.all[e.n] = earlyPriority{id, prio}
	e.n++
}

// take returns the priority of a stream and forgets it.
func (e *earlyPriorities) take(id uint32) (prio PriorityParams, ok bool) {
	for i := range e.all[:e.n] {
		if e.all[i].id == id {
			prio = e.all[i].prio
			e.drop(i)
			return prio, true
		}
	}
	return prio, false
}

func (e *earlyPriorities) drop(i int) {
	copy(e.all[i:], e.all[i+1:e.n])
	e.n--
}

// first sets the priority of a new stream: from a PRIORITY_UPDATE that came before it, or else from its priority field.
func (q *schedule) first(s *Stream, value string) {
	if value != "" {
		q.peerSignals = true
		s.prio, s.signaled = ParsePriority(value), true
	}
	if q.early == nil {
		return
	}
	if prio, ok := q.early.take(s.id); ok {
		s.prio, s.signaled = prio, true
	}
}

// recvPriorityUpdate handles a client's PRIORITY_UPDATE (RFC 9218 §7.1).
func (k *core) recvPriorityUpdate(h FrameHeader, p []byte, ev *Event) {
	k.charge(costPriority)
	id := binary.BigEndian.Uint32(p) & maxStreamID
	switch {
	case k.client:
		k.fail(errUpdateSender)
		return
	case id&1 == 0:
		k.fail(errUpdateStream)
		return
	case k.err != nil || int(h.Length) != len(p):
		return // only a prefix was kept, see wholePart; a value that long has no meaning
	}
	k.sched.peerSignals = true
	prio := ParsePriority(p[4:])
	if !k.streams.opened(id) {
		if k.sched.early == nil {
			k.sched.early = new(earlyPriorities)
		}
		k.sched.early.keep(id, prio)
		return
	}
	if s := k.streams.live(id); s != nil {
		k.sched.setPriority(s, prio)
		*ev = Event{Kind: EventPriority, Stream: s}
	}
}
