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
type Role uint8

// The roles.
const (
	ServerRole Role = iota // reads masked frames and writes unmasked ones
	ClientRole             // writes masked frames and reads unmasked ones
)

// String returns "server" or "client".
func (r Role) String() string { return r.frames().String() }

// frames returns r as the role that frames are read with.
func (r Role) frames() wsframe.Role {
	if r == ClientRole {
		return wsframe.Client
	}
	return wsframe.Server
}

// roleOf returns r as a Role.
func roleOf(r wsframe.Role) Role {
	if r == wsframe.Client {
		return ClientRole
	}
	return ServerRole
}

// Opcode is the type of a frame (RFC 6455 §5.2).
type Opcode uint8

// The opcodes of RFC 6455 §11.8. All others are reserved.
const (
	OpContinuation Opcode = 0x0 // continues the open message
	OpText         Opcode = 0x1 // starts a text message
	OpBinary       Opcode = 0x2 // starts a binary message
	OpClose        Opcode = 0x8 // closes the sender's direction
	OpPing         Opcode = 0x9 // asks for a pong with the same payload
	OpPong         Opcode = 0xA // answers a ping
)

// IsControl reports whether the opcode is that of a control frame, which may stand between the frames of a message (RFC
// 6455 §5.5). It is true for the reserved control opcodes too.
func (o Opcode) IsControl() bool { return wsframe.Opcode(o).IsControl() }

// IsReserved reports whether the opcode is reserved by RFC 6455 §5.2.
func (o Opcode) IsReserved() bool { return wsframe.Opcode(o).IsReserved() }

// String returns a name such as "ping", or "opcode 3" for a reserved one.
func (o Opcode) String() string { return wsframe.Opcode(o).String() }

// RSV is a set of the three reserved bits of a frame, which extensions may use (RFC 6455 §5.2).
type RSV uint8

// The reserved bits.
const (
	RSV1 RSV = 0x40 // with permessage-deflate: the message is compressed (RFC 7692 §6)
	RSV2 RSV = 0x20 // no registered extension uses it
	RSV3 RSV = 0x10 // no registered extension uses it
)

// String returns the names of the bits that are set, such as "RSV1 RSV3", or "none".
func (r RSV) String() string { return wsframe.RSV(r).String() }
