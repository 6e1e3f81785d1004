package load

import "net/url"

// schemes lists the supported URL schemes.
var schemes = []string{"http", "https", "ws", "wss", "tcp", "tls"}

// CarriesMessages reports whether u is for messages rather than requests.
func CarriesMessages(u *url.URL) bool { return IsWebSocket(u) || IsStream(u) }

// IsWebSocket reports whether u is for messages over WebSocket.
func IsWebSocket(u *url.URL) bool { return u.Scheme == "ws" || u.Scheme == "wss" }

// IsStream reports whether u is for length-prefixed messages without WebSocket.
func IsStream(u *url.URL) bool { return u.Scheme == "tcp" || u.Scheme == "tls" }

// isSecure reports whether TLS is used.
func isSecure(u *url.URL) bool { return u.Scheme == "https" || u.Scheme == "wss" || u.Scheme == "tls" }
