package http3

import "github.com/shockwave-go/shockwave/http2"

// QUIC sends the answers in the order that the client's priorities ask for (RFC 9218): the more urgent ones first, and of the same urgency
// those that are incremental in turns, others one after the other. A client that says nothing of priorities gets all answers in turns,
// as over HTTP/2.

// priorities are what a client has said. conn.mu guards it.
type priorities struct {
	spoken bool            // the client has said something
	early  []earlyPriority // of requests that have not arrived
}

// earlyPriority is a PRIORITY_UPDATE that came before its request.
type earlyPriority struct {
	id       uint64
	priority http2.PriorityParams
}

// maxEarly is how many are kept.
const maxEarly = 100

// speaks notes that the client speaks of priorities: requests of which it says nothing have the default (RFC 9218 §4), also those that
// have arrived. The caller must hold the lock.
func (k *conn) speaks() {
	if k.priorities.spoken {
		return
	}
	k.priorities.spoken = true
	for m := k.first; m != nil; m = m.nextOpen {
		m.prioritize(http2.DefaultPriority)
	}
}

// prioritize sets the priority of m. The caller must hold the connection's lock.
func (m *stream) prioritize(p http2.PriorityParams) { m.str.prioritize(p.Urgency, p.Incremental) }

// updatePriority handles a PRIORITY_UPDATE of a request, which may not have arrived yet (RFC 9218 §7).
func (k *conn) updatePriority(id uint64, p http2.PriorityParams) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.speaks()
	for m := k.first; m != nil; m = m.nextOpen {
		if m.str.id() == id {
			m.updated = true
			m.prioritize(p)
			return
		}
	}
	if id < k.next {
		return // it has been answered
	}
	early := &k.priorities.early
	for i := range *early {
		if (*early)[i].id == id {
			(*early)[i].priority = p
			return
		}
	}
	if len(*early) < maxEarly {
		*early = append(*early, earlyPriority{id, p})
	}
}

// arrives sets the priority of a request that has arrived, as far as it is known without its head. The caller must hold the lock.
func (k *conn) arrives(m *stream) {
	if !k.priorities.spoken {
		return
	}
	for i, e := range k.priorities.early {
		if e.id == m.str.id() {
			k.priorities.early = append(k.priorities.early[:i], k.priorities.early[i+1:]...)
			m.updated = true
			m.prioritize(e.priority)
			return
		}
	}
	m.prioritize(http2.DefaultPriority)
}

// headPriority sets the priority that the field of a request's head asks for, unless a PRIORITY_UPDATE has come: that counts more, whenever
// it comes (RFC 9218 §7).
func (k *conn) headPriority(m *stream, field string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.speaks()
	if !m.updated {
		m.prioritize(http2.ParsePriority(field))
	}
}
