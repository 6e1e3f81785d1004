package server

import (
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// matchVersion changes the status line at dst[start:] to HTTP/1.0 if the request has that version and the server has
// echoesHTTP10.
func (m *h1Message) matchVersion(dst []byte, start int) []byte {
	if m.head.Minor == 0 && m.hasQuirk(behaviour.EchoesHTTP10) {
		dst[start+len("HTTP/1.")] = '0'
	}
	return dst
}

// appendHeadFieldsFirst appends the head in net/http's order: the handler's fields come before Date and the framing.
func (m *h1Message) appendHeadFieldsFirst(dst []byte, contentType string) []byte {
	pre := m.srv.preambles.At(m.Wall())
	if m.res.status == 200 {
		dst = m.matchVersion(append(dst, pre.OK[:pre.Line]...), len(dst))
	} else {
		dst = m.matchVersion(m.srv.appendStatus(dst, m.res.status), len(dst))
	}
	dst = m.appendFields(dst, contentType != "")
	if !m.res.asks(bodyplan.HasDate | bodyplan.HasServer) {
		dst = append(dst, pre.OK[pre.Line:]...)
	} else {
		dst = m.appendDate(dst, pre)
	}
	dst = m.appendFraming(dst, contentType)
	return append(dst, "\r\n"...)
}

// appendCodings appends the transfer codings that the handler says it has applied. The caller appends chunked after
// them, which may occur only once (RFC 9112 §6.1).
func (m *h1Message) appendCodings(dst []byte) []byte {
	h := &m.res.header
	for i := range h.Len() {
		name, value := h.At(i)
		if fieldkind.Of(name) != fieldkind.TransferEncoding {
			continue
		}
		for coding := range http1.Elements(value) {
			if ascii.All(coding, ascii.Token) && !ascii.EqualFold(coding, "chunked") && !ascii.EqualFold(coding, "identity") {
				dst, _ = http1.AppendField(dst, "Transfer-Encoding", view(coding))
			}
		}
	}
	return dst
}

// closeImplied reports whether the head needs no "Connection: close", because a status line of HTTP/1.0 implies it (RFC
// 9112 §9.3). A "close" that the handler has set is sent.
func (m *h1Message) closeImplied() bool {
	return m.head.Minor == 0 && m.hasQuirk(behaviour.EchoesHTTP10) && !m.res.asks(bodyplan.WantsClose)
}

// abandonsBody reports whether the connection must be closed because the handler has not read the whole body in full
// duplex.
func (m *h1Message) abandonsBody() bool {
	body := &m.req.body
	return m.res.duplex && m.hasQuirk(behaviour.ClosesUnreadDuplex) && (!body.Ended() || body.Buffered() > 0)
}
