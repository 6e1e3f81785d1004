package server

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
	"github.com/shockwave-go/shockwave/internal/wire/fieldkind"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// A client that speaks RFC 8441 opens a WebSocket with an extended CONNECT. Handlers, and the libraries that they use, know
// the upgrade of HTTP/1.1 instead (RFC 6455 §4.1). So they are shown the request as that upgrade, and what they answer is
// translated back:
//
//	CONNECT, :protocol websocket ─► GET, Upgrade, Connection, Sec-WebSocket-Key ─► handler
//	 200 without those fields    ◄──────  101, by the ResponseWriter or by hand  ◄─┘
//	 the same status, never 2xx  ◄──────  anything else

// asksForWebSocket reports whether h opens a WebSocket. The names of protocols have no case (RFC 9110 §7.8).
func asksForWebSocket(h *http2.Head) bool { return ascii.EqualFold(h.Protocol, "websocket") }

// addUpgrade appends the lines to b that make the request an upgrade to WebSocket.
func (m *fieldMessage) addUpgrade(b []byte) []byte {
	var key [16]byte
	var text [24]byte
	rand.Read(key[:])
	base64.StdEncoding.Encode(text[:], key[:])
	b = m.addLine(b, "Connection", "Upgrade")
	b = m.addLine(b, "Upgrade", "websocket")
	return m.addLine(b, "Sec-WebSocket-Key", view(text[:]))
}

// leftOutOfUpgrade reports whether a client's field has no meaning in the request that its handler sees: the key is the
// server's, and what follows the head is no body.
func leftOutOfUpgrade(name string) bool {
	return name == "sec-websocket-key" || name == "content-length"
}

// answersUpgrade reports whether the exchange is a WebSocket's, which its handler sees as an upgrade of HTTP/1.1.
func (m *fieldMessage) answersUpgrade() bool { return m.req.method == bodyplan.Upgrade }

// upgradeStatus returns the status that stands for the handler's: 200 for 101. A client takes any 2xx for an open
// WebSocket (RFC 8441 §4, RFC 9110 §9.3.6), but a handler that responds with 2xx has not switched the protocol, and over HTTP/1.1
// the client would see that. So it gets the status for a resource that does not speak the protocol (RFC 9220 §3).
func upgradeStatus(status int) int {
	switch {
	case status == 101:
		return 200
	case status < 300:
		return 501
	}
	return status
}

// belongsToUpgrade reports whether a field of w's speaks of the connection of HTTP/1.1 that the handler sees. The values of
// Connection name such fields, too (RFC 9110 §7.6.1).
func belongsToUpgrade(w *ResponseWriter, name []byte) bool {
	var scratch [64]byte
	lower := fieldkind.AppendLower(scratch[:0], name)
	return string(lower) == "sec-websocket-accept" || fieldkind.HasToken(&w.header, "Connection", string(lower))
}
