package websocket

import "github.com/shockwave-go/shockwave/internal/wire/wsframe"

// Frame is one frame (RFC 6455 §5.2). Its payload is unmasked.
type Frame struct {
	// FIN marks the last frame of a message. Every control frame has it.
	FIN bool
	// Opcode is the frame's opcode.
	Opcode Opcode
	// RSV has the reserved bits that are set.
	RSV RSV
	// Payload is a slice of the buffer that the frame was read into.
	Payload []byte
	// Length is the length of the payload in bytes.
	Length int64
}

// Role is the side of a connection: server or client. It decides which frames are masked (RFC 6455 §5.1).
type Role = wsframe.Role

// The roles.
const (
	ServerRole = wsframe.Server // reads masked frames and writes unmasked ones
	ClientRole = wsframe.Client // writes masked frames and reads unmasked ones
)

// Opcode is the type of a frame (RFC 6455 §5.2).
type Opcode = wsframe.Opcode

// The opcodes of RFC 6455 §11.8.
const (
	OpContinuation = wsframe.Continuation // continues the open message
	OpText         = wsframe.Text         // starts a text message
	OpBinary       = wsframe.Binary       // starts a binary message
	OpClose        = wsframe.Close        // closes the sender's direction
	OpPing         = wsframe.Ping         // asks for a pong with the same payload
	OpPong         = wsframe.Pong         // answers a ping
)

// RSV is a set of the three reserved bits of a frame, which extensions may use (RFC 6455 §5.2).
type RSV = wsframe.RSV

// The reserved bits.
const (
	RSV1 = wsframe.RSV1 // with permessage-deflate: the message is compressed (RFC 7692 §6)
	RSV2 = wsframe.RSV2 // no registered extension uses it
	RSV3 = wsframe.RSV3 // no registered extension uses it
)
