package server

import (
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
	"github.com/shockwave-go/shockwave/server/internal/preamble"
)

// begin implements sink.
func (m *h1Message) begin(w *ResponseWriter, contentType string, whole bool) (next phase) {
	m.framing = w.planInput.Frame(w.plan, m.reusable())
	switch {
	case m.framing.Close: // no request follows
	case w.duplex && !whole: // the handler may still read the body
	default:
		m.framing.Close = m.abandonsBody() || !m.prepareBody(whole)
	}
	m.out = m.appendHead(m.out[:0], contentType)
	if m.framing.Body != http1.ByChunks {
		return streaming
	}
	return buffering
}

// reusable reports whether another request may follow on the connection once this request's body has ended, as far as
// is known when the response begins.
func (m *h1Message) reusable() bool {
	cfg := &m.srv.cfg
	switch {
	case !m.head.KeepAlive, m.res.closeAfter, cfg.DisableKeepAlive, m.Draining():
		return false
	case cfg.MaxKeepAliveRequests > 0 && m.conn.served >= int64(cfg.MaxKeepAliveRequests):
		return false
	}
	return true
}

// appendHead appends the head that follows from the plan and the framing. Date comes first, so that a recipient soon
// knows what it has received (RFC 9110 §5.3).
func (m *h1Message) appendHead(dst []byte, contentType string) []byte {
	if m.hasQuirk(behaviour.FieldsFirst) {
		return m.appendHeadFieldsFirst(dst, contentType)
	}
	dst = m.appendPreamble(dst)
	dst = m.appendFraming(dst, contentType)
	if m.res.header.Len() > 0 {
		dst = m.appendFields(dst, contentType != "")
	}
	return append(dst, "\r\n"...)
}

// appendFraming appends the server's own fields, except those of the preamble.
func (m *h1Message) appendFraming(dst []byte, contentType string) []byte {
	switch length := m.res.plan.Length; {
	case length >= 0:
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, length, 10)
		dst = append(dst, "\r\n"...)
	case m.framing.Body == http1.ByChunks:
		if m.res.asks(bodyplan.HasCodings) && m.hasQuirk(behaviour.SendsCodings) {
			dst = m.appendCodings(dst)
		}
		dst = append(dst, "Transfer-Encoding: chunked\r\n"...)
	}
	if m.res.sniffer.found != "" && contentType == "" {
		dst = append(dst, "Content-Type: "...)
		dst = append(dst, m.res.sniffer.found...)
		dst = append(dst, "\r\n"...)
	}
	switch {
	case m.framing.Tunnel:
	case m.framing.Close && m.closeImplied():
	case m.framing.Close:
		dst = append(dst, "Connection: close\r\n"...)
	case m.head.Minor == 0:
		// RFC 9112 §9.3: a response to an HTTP/1.0 client that asked for keep-alive must say so.
		dst = append(dst, "Connection: keep-alive\r\n"...)
	}
	if contentType != "" {
		dst, _ = http1.AppendField(dst, "Content-Type", contentType)
	}
	return dst
}

// appendPreamble appends the status line, Date and Server.
func (m *h1Message) appendPreamble(dst []byte) []byte {
	pre := m.srv.preambles.At(m.Wall())
	if m.res.status == 200 && !m.res.asks(bodyplan.HasDate|bodyplan.HasServer) {
		return m.matchVersion(append(dst, pre.OK...), len(dst))
	}
	dst = m.matchVersion(m.srv.appendStatus(dst, m.res.status), len(dst))
	return m.appendDate(dst, pre)
}

// appendDate appends Date and Server, unless the handler has set its own.
func (m *h1Message) appendDate(dst []byte, pre *preamble.Preamble) []byte {
	if !m.res.asks(bodyplan.HasDate) {
		dst = append(dst, pre.Date...)
	}
	if !m.res.asks(bodyplan.HasServer) {
		dst = append(dst, pre.Server...)
	}
	return dst
}

// appendFields appends the handler's lines. If all of them can be copied, it appends them at once. typed reports that
// another Content-Type replaces the handler's.
func (m *h1Message) appendFields(dst []byte, typed bool) []byte {
	h := &m.res.header
	if !m.res.asks(bodyplan.IsSpecial) && !typed {
		if all, ok := http1.AppendHeader(dst, h); ok {
			return all
		}
	}
	for i := range h.Len() {
		name, value := h.At(i)
		if !m.sends(name, value, typed) {
			continue
		}
		var ok bool
		if dst, ok = http1.AppendField(dst, view(name), view(value)); !ok {
			m.srv.log.Debug("server: a response field was not sent", "name", string(name), "value", string(value))
		}
	}
	return dst
}

// sends reports whether a line of the handler's is sent as it is.
func (m *h1Message) sends(name, value []byte, typed bool) bool {
	kind := fieldkind.Of(name)
	switch kind {
	case fieldkind.Connection:
		_, others := fieldkind.ConnectionOptions(value)
		return others
	case fieldkind.Trailer:
		return m.framing.Body == http1.ByChunks || m.hasQuirk(behaviour.AlwaysSendsTrailerField)
	}
	return m.res.sends(kind, value, typed)
}
