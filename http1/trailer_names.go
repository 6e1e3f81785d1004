package http1

import "github.com/shockwave-go/shockwave/internal/wire/ascii"

// forbidden lists the names that a trailer must not have, grouped by the reasons of RFC 9110 §6.5.1. A recipient that
// merges them takes them after they were needed, or past a check that looked only at the head.
var forbidden = [...]string{
	"connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", // framing
	"host",                                                       // routing
	"cache-control", "expect", "max-forwards", "pragma", "range", // controls
	"if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", // conditions
	"authorization", "cookie", "proxy-authenticate", "proxy-authorization", "set-cookie", "www-authenticate", // authentication
	"age", "date", "expires", "location", "retry-after", "vary", "warning", // meaning of a response
	"content-disposition", "content-encoding", "content-language", "content-location", "content-range", "content-type", // content
}

// ForbiddenTrailer reports whether a field must not be sent or merged as a trailer (RFC 9110 §6.5.1).
func ForbiddenTrailer(name []byte) bool {
	for _, f := range &forbidden {
		if ascii.EqualFold(name, f) {
			return true
		}
	}
	return false
}
