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

// SessionError says how one of the two ends has closed a session (draft-ietf-webtrans-http3 §6). A client that ends the
// stream of its CONNECT without a capsule has closed the session with code 0 and no reason.
type SessionError struct {
	Code   uint32 // the application's
	Reason string
	Remote bool // the client has closed it, and not the server
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

// StreamError means that the client has reset a stream that this side reads, or has stopped one that this side writes.
type StreamError struct {
	Code      uint32 // the client's application has ended the stream with this code; 0 if HasCode is false
	HasCode   bool   // false: something else has ended it, and HTTP3Code says why
	HTTP3Code uint64 // the code that has arrived (RFC 9114 §8.1, draft-ietf-webtrans-http3 §4.4)
}

// Error returns the code.
func (e *StreamError) Error() string {
	if e.HasCode {
		return fmt.Sprintf("webtransport: stream ended by the client: code %d", e.Code)
	}
	return "webtransport: stream ended by the client: " + h3frame.Code(e.HTTP3Code).String()
}

// DatagramTooLargeError means that a datagram does not fit into a packet at this time. Packets grow and shrink with the path.
type DatagramTooLargeError struct {
	MaxSize int // bytes that would fit
}

// Error says how many bytes would fit.
func (e *DatagramTooLargeError) Error() string {
	return fmt.Sprintf("webtransport: datagram too large: at most %d bytes fit into a packet now", e.MaxSize)
}
