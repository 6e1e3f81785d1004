package websocket

import "github.com/shockwave-go/shockwave/internal/wsframe"

// Frame is a frame as it was sent (RFC 6455 §5.2), unmasked.
type Frame struct {
	// FIN marks the last frame of a message. Every control frame has it.
	FIN bool
	// Opcode says what the frame is.
	Opcode Opcode
	// RSV are the bits that extensions use.
	RSV RSV
	// Payload is a part of the buffer that the frame was read into.
	Payload []byte
	// Length is how many bytes of payload the frame has.
	Length int64
}

// Role is the part that an end plays in a connection; it decides who masks (RFC 6455 §5.1).
type Role = wsframe.Role

// The roles.
const (
	ServerRole = wsframe.Server // reads masked frames and writes bare ones
	ClientRole = wsframe.Client // writes masked frames and reads bare ones
)

// Opcode says what a frame is (RFC 6455 §5.2).
type Opcode = wsframe.Opcode

// The opcodes of RFC 6455 §11.8.
const (
	OpContinuation = wsframe.Continuation // goes on with the message that is open
	OpText         = wsframe.Text         // begins a message of UTF-8 text
	OpBinary       = wsframe.Binary       // begins a message of bytes
	OpClose        = wsframe.Close        // ends a direction
	OpPing         = wsframe.Ping         // asks for a pong with the same payload
	OpPong         = wsframe.Pong         // answers a ping
)

// RSV is a set of the three bits of a frame that extensions may give a meaning to (RFC 6455 §5.2).
type RSV = wsframe.RSV

// The reserved bits.
const (
	RSV1 = wsframe.RSV1 // with permessage-deflate: the message is compressed (RFC 7692 §6)
	RSV2 = wsframe.RSV2 // no registered extension uses it
	RSV3 = wsframe.RSV3 // no registered extension uses it
)
