package websocket

import (
	"net/http"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// IsUpgrade reports whether r asks for an upgrade to WebSocket. It is for handlers of other requests as well; Accept
// may still refuse the upgrade.
func IsUpgrade(r *http.Request) bool {
	return r.ProtoMajor < 2 && http1.HasToken("websocket", r.Header["Upgrade"]...) && http1.HasToken("upgrade", r.Header["Connection"]...)
}

// Subprotocols returns the subprotocols that the client of r offers, in its order (RFC 6455 §11.3.4).
func Subprotocols(r *http.Request) []string {
	return handshake.OfferedNames(r.Header["Sec-Websocket-Protocol"])
}
