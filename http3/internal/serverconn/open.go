package serverconn

import (
	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/request"
	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// openStreams are the streams of a connection that have not ended.
type openStreams struct {
	list      request.List
	taken     int             // how many of them handlers have taken over
	served    int             // requests so far
	next      uint64          // the identifier of the next request stream
	owed      quicconn.Stream // whose credit is given back with the next response; zero: none
	idleSince clock.Moment    // since when no stream is open; 0 while there is one
}

// add adds m, which handles the stream str. The credit of each stream is given back with the response to the next one, in the same
// packet. isLate says that the stream came after our GOAWAY.
func (o *openStreams) add(m *request.Stream, c *request.Conn, owner request.Owner, str quicconn.Stream, isLate bool) {
	if !isLate {
		o.next = max(o.next, str.ID()+4)
	}
	o.served++
	o.idleSince = 0
	m.Begin(c, owner, str, o.owed, isLate)
	o.owed = str
	o.list.Add(m)
}

// remove removes m. A stream that was handed over does not count as a request.
func (o *openStreams) remove(m *request.Stream, how request.End) {
	o.list.Remove(m)
	if how == request.HandedOver {
		o.served--
	}
}

// answering returns how many streams are open that no handler has taken over.
func (o *openStreams) answering() int { return o.list.Len() - o.taken }

// isPast reports whether the request id has arrived and ended.
func (o *openStreams) isPast(id uint64) bool { return id < o.next && o.list.Find(id) == nil }
