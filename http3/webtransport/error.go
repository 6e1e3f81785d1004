package webtransport

import (
	"fmt"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// HandshakeError is the reason why a server refused to open a session. Status is the status of the response.
type HandshakeError struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *HandshakeError) Error() string { return "webtransport: handshake: " + e.Msg }

// SessionError is how a session has ended by Close of one of the two ends (draft-ietf-webtrans-http3 §6). A client that ends the
// stream of its CONNECT without a word has closed with code 0 and no reason.
type SessionError struct {
	Code   uint32
	Reason string
	Remote bool // the client has closed
}

// Error returns the code and the reason.
func (e *SessionError) Error() string {
	who := "server"
	if e.Remote {
		who = "client"
	}
	if e.Reason == "" {
		return fmt.Sprintf("webtransport: session closed by the %s: code %d", who, e.Code)
	}
	return fmt.Sprintf("webtransport: session closed by the %s: code %d, %q", who, e.Code, e.Reason)
}

// StreamError means that the client has reset a stream that is read, or wants no more of one that is written.
type StreamError struct {
	Code uint32 // the application's; 0 if App is false
	App  bool   // the client's application has ended the stream
	Wire uint64 // the code of HTTP/3 that has arrived
}

// Error returns the code.
func (e *StreamError) Error() string {
	if e.App {
		return fmt.Sprintf("webtransport: stream ended by the client: code %d", e.Code)
	}
	return "webtransport: stream ended by the client: " + h3frame.Code(e.Wire).String()
}

// DatagramTooLargeError means that a datagram does not fit into a packet at this time. Packets grow and shrink with the path.
type DatagramTooLargeError struct {
	Most int // bytes that would fit
}

// Error says how much would fit.
func (e *DatagramTooLargeError) Error() string {
	return fmt.Sprintf("webtransport: a datagram may have %d bytes at this time", e.Most)
}
