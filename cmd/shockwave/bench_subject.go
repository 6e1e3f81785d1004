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

// inWords returns what is said about HTTP, or about WebSocket.
func (r *benchReport) inWords(http, webSocket string) string {
	if r.what == messages {
		return webSocket
	}
	return http
}

// ifSame returns what is said about answers that must be alike, or about others.
func (r *benchReport) ifSame(same, others string) string {
	if r.same {
		return same
	}
	return others
}

// messageKind says what the messages of WebSocket are.
func (r *benchReport) messageKind() string {
	kind := "binary"
	if r.message.Text {
		kind = "text"
	}
	s := fmt.Sprintf("%s messages of %s", kind, byteSize(int64(r.BodyBytes)))
	switch {
	case r.message.Takeover:
		s += ", compressed with takeover"
	case r.message.Deflate:
		s += ", compressed"
	}
	return s
}
