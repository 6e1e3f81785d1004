package server

import (
	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
)

// fieldMessage is an exchange whose head and trailer are lists of fields, as HTTP/2 and HTTP/3 have them. A carrier.Stream
// carries it: h2Stream, which embeds it, or one of another module's.
type fieldMessage struct {
	exchange
	on    carrier.Stream
	major uint8 // the version of HTTP

	head    shockwave.RequestHead
	text    []byte           // the bytes that head points to: method, target and lines
	trailer shockwave.Header // of the request
	refusal *http1.Error     // if not nil, this is the response and the handler is not called

	writer      *ResponseWriter // writes the response: res, or the handler's own (handAnswer); set when it begins
	contentType string          // replaces the handler's Content-Type, if not empty
	headPending bool            // the head of the response is decided but not sent
	finished    bool            // the response has ended
	scratch     [64]byte        // memory for what is encoded; the goroutine that writes owns it
}

// init prepares a new m, which on carries, for its first request.
func (m *fieldMessage) init(s *service, on carrier.Stream, major uint8) {
	m.on, m.major = on, major
	m.exchange.init(s, on, m, on)
}

// reset prepares m for the pool.
func (m *fieldMessage) reset() {
	m.exchange.reset()
	m.trim()
	m.head = shockwave.RequestHead{Header: m.head.Header}
	m.head.Header.Trim(keptScratch)
	trim(&m.text)
	m.trailer.Trim(keptScratch)
	m.refusal, m.writer, m.contentType, m.headPending, m.finished = nil, nil, "", false, false
}

// answer sets the deadlines, calls the handler, or refuses the request, and ends the response. errTakenOver means that the
// handler has taken the stream over.
func (m *fieldMessage) answer() error {
	m.setTimeouts()
	if m.refusal != nil {
		m.refuse()
	} else {
		m.serve()
	}
	return m.res.finish()
}

// setTimeouts sets the deadlines of the request's body and of the response.
func (m *fieldMessage) setTimeouts() {
	read, write := m.srv.cfg.ReadTimeout, m.srv.cfg.WriteTimeout
	if !m.req.body.Streamed() {
		read = 0
	}
	if read > 0 || write > 0 {
		m.on.SetTimeouts(max(read, 0), max(write, 0))
	}
}

// refuse responds with m.refusal.
func (m *fieldMessage) refuse() {
	m.srv.refused.Add(1)
	m.srv.log.Debug("server: request refused", "status", m.refusal.Status, "err", m.refusal, "remote", m.on.RemoteAddr())
	m.res.Error(m.refusal.Status, m.refusal.Msg)
}

// handlerPanicked logs v, with which a handler has panicked, unless it asks for an abort; nil stands for runtime.Goexit.
func (m *fieldMessage) handlerPanicked(v any) {
	if !isAbort(v) && !(v == nil && m.srv.behaviour.Quirks.Has(behaviour.QuietGoexit)) {
		m.panicked(v)
	}
}
