// Package handshake is the opening handshake of WebSocket (RFC 6455 §4) without connections: what makes a request an upgrade,
// what a server sends back, and what a client asks for and accepts. Conn serves it on a connection without an HTTP server.
package handshake

import (
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/internal/core/budget"
	"github.com/shockwave-go/shockwave/internal/join/pageorigin"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// Settings are what one end wants.
type Settings struct {
	Subprotocols      []string                       // of this end, best first
	ChooseSubprotocol func(offers []string) string   // chooses for a server instead of Subprotocols, if set
	Origins           []string                       // whose pages may connect to a server; see pageorigin.Allowed
	CheckOrigin       func(origin, host string) bool // decides instead of Origins, if set
	Compression       permessage.Mode
	Memory            *budget.Budget // for what connections keep between compressed messages
}

// Agreement is what a successful handshake has agreed on.
type Agreement struct {
	Subprotocol string             // "" for none
	Deflate     *permessage.Params // nil: not negotiated

	key string // of a server: Sec-WebSocket-Accept
}

// Error is the reason why a server refused an upgrade, or why a client refused the server's response. Status is the status
// of the response.
type Error struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *Error) Error() string { return "handshake: " + e.Msg }

// allows reports whether pages of the request's origin may connect (RFC 6455 §10.2).
func (s *Settings) allows(origins []string, host string) bool {
	if s.CheckOrigin != nil {
		return len(origins) <= 1 && s.CheckOrigin(strings.Join(origins, ""), host)
	}
	return pageorigin.Allowed(origins, host, s.Origins)
}

// IsField reports whether the field belongs to the handshake, so that the application may not set it.
func IsField(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Upgrade", "Connection", "Content-Length", "Transfer-Encoding", "Trailer", "Host", "Sec-Websocket-Key",
		"Sec-Websocket-Version", "Sec-Websocket-Accept", "Sec-Websocket-Protocol", "Sec-Websocket-Extensions":
		return true
	}
	return false
}
