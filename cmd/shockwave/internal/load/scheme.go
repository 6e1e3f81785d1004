package load

import (
	"net/url"
)

// CarriesMessages reports whether u is for messages rather than requests.
func CarriesMessages(u *url.URL) bool { return IsWebSocket(u) || IsStream(u) }

// IsWebSocket reports whether u is for messages over WebSocket.
func IsWebSocket(u *url.URL) bool { return u.Scheme == "ws" || u.Scheme == "wss" }

// IsStream reports whether u is for length-prefixed messages without WebSocket.
func IsStream(u *url.URL) bool { return u.Scheme == "tcp" || u.Scheme == "tls" }
