package websocket

import (
	"errors"
	"net/http"

	"github.com/shockwave-go/shockwave/websocket/internal/handshake"
)

// HandshakeError is the reason why a server refused an upgrade (RFC 6455 §4.2.2), or why a client refused the server's
// response (§4.1). Status is the status of the response.
type HandshakeError struct {
	Status int
	Msg    string
}

// Error returns the message.
func (e *HandshakeError) Error() string { return "websocket: handshake: " + e.Msg }

// handshakeError translates a refusal into the error that users get. Other errors stay.
func handshakeError(err error) error {
	if refused, ok := err.(*handshake.Error); ok {
		return &HandshakeError{refused.Status, refused.Msg}
	}
	return err
}

// refusal returns the refusal that the client is sent when a check of the program has returned err.
func refusal(err error) *handshake.Error {
	if he, ok := errors.AsType[*HandshakeError](err); ok && he.Status >= 400 && he.Status <= 599 {
		return &handshake.Error{Status: he.Status, Msg: he.Msg}
	}
	return &handshake.Error{Status: http.StatusForbidden, Msg: http.StatusText(http.StatusForbidden)}
}
