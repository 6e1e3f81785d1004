package server

import (
	"cmp"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// begin implements sink. The head is encoded later, together with what follows it: in HTTP/2 header sections must be sent in
// the order in which they are encoded.
func (m *fieldMessage) begin(w *ResponseWriter, contentType string, _ bool) (next phase) {
	m.writer, m.contentType, m.headPending = w, contentType, true
	return buffering
}

// send implements sink.
func (m *fieldMessage) send(w *ResponseWriter, p []byte) error {
	if m.finished {
		return nil
	}
	end := carrier.More
	// If all of the body is known to be here, the end goes with its last byte, unless trailers are announced.
	if w.plan.Body == bodyplan.OfLength && w.count.written == w.plan.Length && !w.asks(bodyplan.WantsChunks) || w.plan.Body == bodyplan.NoBody {
		end, m.finished = m.ending(w), true
	}
	return m.on.Send(m.takeHead(), w.buf, p, nil, end)
}

// end implements sink.
func (m *fieldMessage) end(w *ResponseWriter, broken bool) error {
	switch {
	case broken:
		return m.breakOff(w)
	case m.finished:
		if m.ending(w) == carrier.CloseEnd {
			m.on.Last()
		}
		return nil
	}
	m.finished = true
	var trailer carrier.Section
	if w.trailer.Len() > 0 && w.plan.Body != bodyplan.NoBody {
		trailer = (*trailerSection)(m)
	}
	return m.on.Send(m.takeHead(), w.buf, nil, trailer, m.ending(w))
}

// breakOff ends a response that is not as long as its head says. The reset tells the client that (RFC 9113 §8.1.1, RFC 9114
// §4.1).
func (m *fieldMessage) breakOff(w *ResponseWriter) error {
	if !m.finished {
		if err := m.on.Send(m.takeHead(), w.buf, nil, nil, carrier.More); err != nil {
			return err
		}
	}
	m.on.Abort(carrier.Incomplete)
	if m.ending(w) == carrier.CloseEnd {
		m.on.Last()
	}
	return nil
}

// ending returns what follows w's response.
func (m *fieldMessage) ending(w *ResponseWriter) carrier.End {
	closes := w.closeAfter || w.asks(bodyplan.WantsClose)
	if m.answersUpgrade() {
		closes = false // the connection that the handler sees is the stream
	}
	if closes || m.srv.cfg.DisableKeepAlive {
		return carrier.CloseEnd
	}
	return carrier.Complete
}

// takeHead returns the head of the response if it has not been sent; it is sent now.
func (m *fieldMessage) takeHead() carrier.Section {
	if !m.headPending {
		return nil
	}
	m.headPending = false
	return (*headSection)(m)
}

// headSection is the head of the response.
type headSection fieldMessage

// AppendTo implements carrier.Section.
func (s *headSection) AppendTo(f carrier.Fields, out []byte) []byte {
	m := (*fieldMessage)(s)
	w := m.writer
	out = f.AppendStatus(out, m.status(w))
	pre := m.srv.preambles.At(m.on.Wall())
	if !w.asks(bodyplan.HasDate) {
		out = f.AppendField(out, "date", pre.DateValue)
	}
	if !w.asks(bodyplan.HasServer) && pre.ServerValue != "" {
		out = f.AppendField(out, "server", pre.ServerValue)
	}
	if w.plan.Length >= 0 {
		out = f.AppendFieldBytes(out, nameContentLength, strconv.AppendInt(m.scratch[:0], w.plan.Length, 10))
	}
	if kind := cmp.Or(m.contentType, w.sniffer.found); kind != "" {
		out = f.AppendField(out, "content-type", kind)
	}
	return m.appendFields(f, out, w)
}

var nameContentLength = []byte("content-length")

// status returns the status to send for w's. Outside of a WebSocket's upgrade that is 500 for 101: connections do not change
// their protocol (RFC 9113 §8.6, RFC 9114 §4.5).
func (m *fieldMessage) status(w *ResponseWriter) int {
	if m.answersUpgrade() {
		return upgradeStatus(w.status)
	}
	if w.status == 101 {
		m.srv.log.Error("server: a handler sent status 101, which HTTP/2 and HTTP/3 do not have", "remote", m.on.RemoteAddr())
		return 500
	}
	return w.status
}

// appendFields appends w's lines.
func (m *fieldMessage) appendFields(f carrier.Fields, out []byte, w *ResponseWriter) []byte {
	h := &w.header
	for i := range h.Len() {
		name, value := h.At(i)
		kind := fieldkind.Of(name)
		if kind == fieldkind.Connection || !w.sends(kind, value, m.contentType != "") || fieldkind.ConnectionSpecific(name) {
			continue
		}
		if m.answersUpgrade() && belongsToUpgrade(w, name) {
			continue
		}
		out = m.appendField(f, out, name, value)
	}
	return out
}

// appendField appends a line with its name in lower case (RFC 9113 §8.2, RFC 9114 §4.2). An invalid line is left out.
func (m *fieldMessage) appendField(f carrier.Fields, out, name, value []byte) []byte {
	if !http1.ValidToken(name) || !http1.ValidFieldValue(value) {
		m.srv.log.Debug("server: a response field was not sent", "name", string(name), "value", string(value))
		return out
	}
	return f.AppendFieldBytes(out, fieldkind.AppendLower(m.scratch[:0], name), value)
}

// trailerSection is the trailer section of the response.
type trailerSection fieldMessage

// AppendTo implements carrier.Section.
func (s *trailerSection) AppendTo(f carrier.Fields, out []byte) []byte {
	m := (*fieldMessage)(s)
	for name, value := range m.writer.trailer.All() {
		if !http1.ForbiddenTrailer(name) {
			out = m.appendField(f, out, name, value)
		}
	}
	return out
}

// inform implements sink.
func (m *fieldMessage) inform(code int, h *shockwave.Header) error {
	if code == 100 && h == nil {
		return m.on.Inform(continueSection, false)
	}
	return m.on.Inform(&interimSection{m, code, h}, true)
}

// interimSection is the head of an informational response.
type interimSection struct {
	m    *fieldMessage
	code int
	h    *shockwave.Header // may be nil
}

// continueSection says 100 Continue, which comes from the goroutine that reads: that must not wait while another waits to
// write.
var continueSection = &interimSection{code: 100}

// AppendTo implements carrier.Section.
func (s *interimSection) AppendTo(f carrier.Fields, out []byte) []byte {
	out = f.AppendStatus(out, s.code)
	if s.h == nil {
		return out
	}
	for name, value := range s.h.All() {
		if fieldkind.AllowedInInterim(name) && fieldkind.Of(name) != fieldkind.Connection && !fieldkind.ConnectionSpecific(name) {
			out = s.m.appendField(f, out, name, value)
		}
	}
	return out
}

// flush implements sink.
func (m *fieldMessage) flush() error { return m.on.Flush() }

// push implements sink. What was sent to an HTTP/2 stream wakes a worker that writes it; a stream of HTTP/3 is flushed.
func (m *fieldMessage) push() error {
	if m.major == 2 {
		return nil
	}
	return m.on.Flush()
}
