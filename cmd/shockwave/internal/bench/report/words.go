package report

import (
	"cmp"
	"strings"
)

// InWords returns its first argument for runs over HTTP, and its second for runs with messages.
func (r *Report) InWords(http, sockets string) string {
	if r.Noun == Messages {
		return sockets
	}
	return http
}

// IfOneWay returns oneWay for runs with one-way messages, else others.
func (r *Report) IfOneWay(oneWay, others string) string {
	if r.OneWay != nil {
		return oneWay
	}
	return others
}

// Scheme returns the scheme of the URL.
func (r *Report) Scheme() string {
	scheme, _, _ := strings.Cut(r.URL, "://")
	return scheme
}

// Subject returns the method, if any, and the URL.
func (r *Report) Subject() string { return strings.TrimSpace(r.Method + " " + r.URL) }

// IfSame returns same if -same was given, else others.
func (r *Report) IfSame(same, others string) string {
	if r.same {
		return same
	}
	return others
}

// Streams returns the part of the report about streams, nil over other protocols.
func (r *Report) Streams() *Streams { return cmp.Or(r.HTTP2, r.HTTP3) }

// Protocol returns the name of the protocol.
func (r *Report) Protocol() string {
	switch {
	case r.HTTP2 != nil:
		return "HTTP/2"
	case r.HTTP3 != nil:
		return "HTTP/3"
	}
	switch scheme := r.Scheme(); {
	case scheme == "tcp" || scheme == "tls":
		return scheme
	case r.Prefixed:
		return "WebSocket, prefixed"
	}
	return r.InWords("HTTP/1.1", "WebSocket")
}
