package serverconn

import (
	"slices"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/http3/internal/request"
)

// priorities are the priorities that a client asks for. QUIC sends responses in their order (RFC 9218): the more
// urgent ones first, and of the same urgency incremental ones in turns, others one after the other. A client that sends no
// priorities gets all responses in turns, as over HTTP/2.
type priorities struct {
	spoken bool            // the client has said something
	early  []earlyPriority // of requests that have not arrived
}

// earlyPriority is a PRIORITY_UPDATE that came before its request.
type earlyPriority struct {
	id       uint64
	priority http2.PriorityParams
}

// maxEarly is how many early ones are kept.
const maxEarly = 100

// speak records that the client uses priorities: requests without one have the default (RFC 9218 §4), including those that
// have arrived.
func (p *priorities) speak(open *openStreams) {
	if p.spoken {
		return
	}
	p.spoken = true
	for m := range open.list.All {
		m.SetPriority(http2.DefaultPriority)
	}
}

// update handles a PRIORITY_UPDATE of a request, which may not have arrived yet (RFC 9218 §7).
func (p *priorities) update(open *openStreams, id uint64, to http2.PriorityParams) {
	p.speak(open)
	if m := open.list.Find(id); m != nil {
		m.PriorityUpdated = true
		m.SetPriority(to)
		return
	}
	if id < open.next {
		return // its response is complete
	}
	if i := p.find(id); i >= 0 {
		p.early[i].priority = to
	} else if len(p.early) < maxEarly {
		p.early = append(p.early, earlyPriority{id, to})
	}
}

// find returns the place of a request in early, or -1.
func (p *priorities) find(id uint64) int {
	return slices.IndexFunc(p.early, func(e earlyPriority) bool { return e.id == id })
}

// arrive sets the priority of a request whose stream has arrived, if it is known without the head.
func (p *priorities) arrive(m *request.Stream) {
	if !p.spoken {
		return
	}
	to := http2.DefaultPriority
	if i := p.find(m.ID()); i >= 0 {
		to = p.early[i].priority
		p.early = slices.Delete(p.early, i, i+1)
		m.PriorityUpdated = true
	}
	m.SetPriority(to)
}

// head sets the priority from the field of a request's head, unless there was a PRIORITY_UPDATE: that takes precedence, whenever
// it comes (RFC 9218 §7).
func (p *priorities) head(open *openStreams, m *request.Stream, field string) {
	p.speak(open)
	if !m.PriorityUpdated {
		m.SetPriority(http2.ParsePriority(field))
	}
}
