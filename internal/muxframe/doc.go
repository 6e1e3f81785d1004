// Package muxframe reads and writes what channels over one connection have on the wire: the greeting with which a session
// begins or goes on, and the frames behind it. docs/wire/tcpmux.md is its description.
//
// It does no I/O and keeps no state of channels: that is package muxsession's.
package muxframe

// Type is what a frame is. It is in the upper half of a frame's first byte.
type Type uint8

// The types. Frames whose first bit is set belong to the connection they travel on; all others to the session: their bytes
// are counted, and sent again on another connection when they have not arrived.
const (
	Data   Type = 1 // a piece of a message
	Open   Type = 2 // a channel begins
	End    Type = 3 // the sender's half of a channel ends
	Reset  Type = 4 // a channel ends at once
	Window Type = 5 // more may be sent in a channel, or in the session
	Grant  Type = 6 // more may be sent of one message, past the windows
	Goaway Type = 7 // the session ends; the last frame of its sender

	Ack  Type = 8 // so many bytes of the session have been received
	Ping Type = 9
	Pong Type = 10
	Kill Type = 11 // the session is over, at once; the last frame of the connection
)

var typeNames = [16]string{
	"type 0", "DATA", "OPEN", "END", "RESET", "WINDOW", "GRANT", "GOAWAY", "ACK", "PING", "PONG",
	"KILL", "type 12", "type 13", "type 14", "type 15",
}

// String returns the type's name.
func (t Type) String() string { return typeNames[t&15] }

// Counted reports whether frames of the type are counted, acknowledged, and sent again.
func (t Type) Counted() bool { return t < 8 }

// Flags are the lower half of a frame's first byte. What they mean depends on the type; the others are 0.
type Flags uint8

// The flags.
const (
	Fin    Flags = 1 // DATA: the last piece of its message
	Exempt Flags = 2 // DATA: it counts for a GRANT, not for the windows
	Void   Flags = 4 // DATA: its message is not to be delivered

	Metadata Flags = 1 // OPEN: there is metadata behind the name

	Stop Flags = 1 // END: its sender takes nothing more, either
)

// known are the flags of each type.
var known = [16]Flags{Data: Fin | Exempt | Void, Open: Metadata, End: Stop}

// The limits of what stands in frames.
const (
	MaxData     = 64 << 10  // payload of a DATA frame, bytes
	MaxName     = 255       // of a channel, bytes
	MaxMetadata = 1024      // of a channel, bytes
	MaxChannel  = 1<<28 - 1 // number of a channel
	MaxCredit   = 1<<31 - 1 // of a WINDOW or a GRANT, and of any window
	// MaxHead is what a frame has before its payload at most: DATA with the largest number and length.
	MaxHead = 1 + 4 + 3
	// Overhead is what each DATA frame counts for in windows besides its payload.
	Overhead = 8
)

// The codes of RESET that the protocol itself uses. Those below 1<<31 are the program's.
const (
	CodeTooMany uint32 = 1<<31 + iota // the receiver has as many channels as it allows
	CodePanic                         // the receiver's program has failed
)

// The codes of KILL.
const (
	KillAborted  uint32 = 0 // somebody wanted it so
	KillProtocol uint32 = 1 // the receiver of the frame has broken a rule
	KillCrowded  uint32 = 2 // its sender has no room for the session any more
)
