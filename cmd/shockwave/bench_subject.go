package main

import (
	"fmt"
	"strings"
)

// subject is what a report counts.
type subject struct{ one, many string }

var (
	requests = subject{"request", "requests"}
	messages = subject{"message", "messages"}
)

// title is the word at the beginning of a title.
func (s subject) title() string { return strings.ToUpper(s.many[:1]) + s.many[1:] }

// inWords returns what is said about HTTP, or about messages.
func (r *benchReport) inWords(http, sockets string) string {
	if r.what == messages {
		return sockets
	}
	return http
}

// ifOneWay returns what is said about messages that go one way, or about all others.
func (r *benchReport) ifOneWay(oneWay, others string) string {
	if r.OneWay != nil {
		return oneWay
	}
	return others
}

// scheme is the URL's.
func (r *benchReport) scheme() string {
	scheme, _, _ := strings.Cut(r.URL, "://")
	return scheme
}

// target is the URL behind the method, if there is one.
func (r *benchReport) target() string { return strings.TrimSpace(r.Method + " " + r.URL) }

// unconnected says what an error of the kind connect is.
func (r *benchReport) unconnected() string {
	switch r.scheme() {
	case "ws", "wss":
		return "no connection, no TLS, or no WebSocket"
	}
	return "no connection, or no TLS"
}

// latencyNote says what latency is, where that is not what one would think.
func (r *benchReport) latencyNote() string {
	switch {
	case r.OneWay != nil && r.Rate > 0:
		return "from the moment a message was due until it had left; nobody says when it has arrived"
	case r.OneWay != nil:
		return "until a write had left; nobody says when a message has arrived"
	case r.Rate > 0:
		return fmt.Sprintf("from the moment a %s was due, not from when it was sent", r.what.one)
	}
	return ""
}

// ifSame returns what is said about answers that must be alike, or about others.
func (r *benchReport) ifSame(same, others string) string {
	if r.same {
		return same
	}
	return others
}

// messageKind says what the messages are.
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
