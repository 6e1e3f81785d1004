package main

import (
	"fmt"
	"strings"
)

// noun names what a report counts, in singular and plural.
type noun struct{ one, many string }

var (
	requests = noun{"request", "requests"}
	messages = noun{"message", "messages"}
)

// title returns the plural with a capital letter.
func (s noun) title() string { return strings.ToUpper(s.many[:1]) + s.many[1:] }

// inWords returns its first argument for runs over HTTP, and its second for runs with messages.
func (r *benchReport) inWords(http, sockets string) string {
	if r.noun == messages {
		return sockets
	}
	return http
}

// ifOneWay returns oneWay for runs with one-way messages, else others.
func (r *benchReport) ifOneWay(oneWay, others string) string {
	if r.OneWay != nil {
		return oneWay
	}
	return others
}

// scheme returns the scheme of the URL.
func (r *benchReport) scheme() string {
	scheme, _, _ := strings.Cut(r.URL, "://")
	return scheme
}

// target returns the method, if any, and the URL.
func (r *benchReport) target() string { return strings.TrimSpace(r.Method + " " + r.URL) }

// connectErrorText describes the errors of kind connect.
func (r *benchReport) connectErrorText() string {
	switch r.scheme() {
	case "ws", "wss":
		return "no connection, no TLS, or no WebSocket"
	}
	return "no connection, or no TLS"
}

// latencyNote explains the latency of runs in which it is not the time from request to response.
func (r *benchReport) latencyNote() string {
	switch {
	case r.OneWay != nil && r.Rate > 0:
		return "from the moment a message was due until it had left; nobody says when it has arrived"
	case r.OneWay != nil:
		return "until a write had left; nobody says when a message has arrived"
	case r.Rate > 0:
		return fmt.Sprintf("from the moment a %s was due, not from when it was sent", r.noun.one)
	}
	return ""
}

// ifSame returns same if -same was given, else others.
func (r *benchReport) ifSame(same, others string) string {
	if r.same {
		return same
	}
	return others
}

// messageKind describes the messages.
func (r *benchReport) messageKind() string {
	kind := "binary messages"
	switch scheme := r.scheme(); {
	case r.message.Text:
		kind = "text messages"
	case scheme == "tcp" || scheme == "tls":
		kind = "messages"
	case r.Prefixed:
		kind = "prefixed messages"
	}
	s := fmt.Sprintf("%s of %s", kind, byteSize(int64(r.BodyBytes)))
	switch {
	case r.message.Takeover:
		s += ", compressed with takeover"
	case r.message.Deflate:
		s += ", compressed"
	}
	return s
}
