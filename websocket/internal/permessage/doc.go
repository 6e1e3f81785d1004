// Package permessage is the extension permessage-deflate (RFC 7692) without the connection: its parameters, what a client
// offers and a server chooses, and the contexts that compress and decompress the messages of one connection.
package permessage

import "errors"

// Mode says how the extension is negotiated.
type Mode uint8

// The modes.
const (
	Off        Mode = iota // not at all
	NoTakeover             // each message is compressed by itself
	Takeover               // a message may refer to earlier ones
)

// The reasons why a handshake fails because of its extensions.
var (
	ErrMalformed  = errors.New("malformed Sec-WebSocket-Extensions (RFC 6455 §9.1)")
	ErrNotOffered = errors.New("the server chose an extension that was not offered (RFC 6455 §4.1)")
	ErrParams     = errors.New("the server chose parameters of permessage-deflate that do not fit the offer (RFC 7692 §7.1)")
)
