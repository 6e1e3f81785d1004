package websocket

import (
	"net/http"
	"slices"

	"github.com/shockwave-go/shockwave/http1"
)

// IsUpgrade reports whether r asks for an upgrade to WebSocket. It is for handlers that also answer other requests; Accept
// may still refuse the upgrade.
func IsUpgrade(r *http.Request) bool {
	return r.ProtoMajor < 2 && http1.HasToken("websocket", r.Header["Upgrade"]...) && http1.HasToken("upgrade", r.Header["Connection"]...)
}

// Subprotocols returns the subprotocols that the client of r offers, in its order (RFC 6455 §11.3.4).
func Subprotocols(r *http.Request) []string { return offeredNames(r.Header["Sec-Websocket-Protocol"]) }

// offeredNames returns the elements of all lines of a list field.
func offeredNames(lines []string) (names []string) {
	for _, line := range lines {
		for name := range http1.Elements(line) {
			names = append(names, name)
		}
	}
	return names
}

// choose returns the server's choice of subprotocol, or "" for none.
func (s *settings) choose(offers []string) (string, *HandshakeError) {
	if s.ChooseSubprotocol != nil {
		name := s.ChooseSubprotocol(offers)
		if name != "" && !slices.Contains(offers, name) {
			return "", errChoice
		}
		return name, nil
	}
	for _, ours := range s.Subprotocols {
		if slices.Contains(offers, ours) {
			return ours, nil
		}
	}
	return "", nil
}
