// Package muxframe reads and writes the wire format of channels over one connection: the greeting that starts or resumes a
// session, and the frames after it. docs/wire/tcpmux.md describes the format.
//
// The package does no I/O and keeps no state of channels; that is in package muxsession.
package muxframe

// Type is the type of a frame, the upper half of its first byte.
type Type uint8

// The types. Types from 8 on belong to the connection. Frames of the other types belong to the session: their bytes are
// counted, and sent again on another connection if they have not arrived.
const (
	Data   Type = 1 // a piece of a message
	Open   Type = 2 // a channel begins
	End    Type = 3 // the sender's half of a channel ends
	Reset  Type = 4 // both halves of a channel end at once
	Window Type = 5 // credit for a channel, or for the session
	Grant  Type = 6 // credit for one message, past the windows
	Goaway Type = 7 // the session closes; the last frame of its sender

	Ack  Type = 8 // how many bytes of the session have been received
	Ping Type = 9
	Pong Type = 10
	Kill Type = 11 // the session ends at once; the last frame of the connection
)

var typeNames = [16]string{
	"type 0", "DATA", "OPEN", "END", "RESET", "WINDOW", "GRANT", "GOAWAY", "ACK", "PING", "PONG",
	"KILL", "type 12", "type 13", "type 14", "type 15",
}

// String returns the type's name.
func (t Type) String() string { return typeNames[t&15] }

// Counted reports whether frames of type t are counted, acknowledged and resent.
func (t Type) Counted() bool { return t < 8 }

// Flags are the lower half of a frame's first byte. Their meaning depends on the type; undefined ones must be 0.
type Flags uint8

// The flags.
const (
	Fin    Flags = 1 // DATA: the last piece of its message
	Exempt Flags = 2 // DATA: it uses credit of a GRANT instead of the windows
	Void   Flags = 4 // DATA: its message is not to be delivered
	// Reserve: DATA uses credit of its channel's reserve instead of the session's window, and WINDOW is credit for it.
	Reserve Flags = 8

	Metadata Flags = 1 // OPEN: the name is followed by metadata

	Stop Flags = 1 // END: the sender receives nothing more
)

// allowedFlags are the flags defined for each type.
var allowedFlags = [16]Flags{Data: Fin | Exempt | Void | Reserve, Open: Metadata, End: Stop, Window: Reserve}

// The limits of frames.
const (
	MaxData     = 64 << 10  // bytes of payload in a DATA frame
	MaxName     = 255       // bytes in the name of a channel
	MaxMetadata = 1024      // bytes of metadata of a channel
	MaxChannel  = 1<<28 - 1 // the largest channel number
	MaxCredit   = 1<<31 - 1 // the largest credit of a WINDOW or a GRANT, and the largest window
	// MaxHead is the largest size of a DATA header: type, number and length.
	MaxHead = 1 + 4 + 3
	// MaxControl is the largest size of a frame that carries neither payload nor text: a GRANT.
	MaxControl = 1 + 4 + 9 + 5
	// Overhead is what each DATA frame costs in windows besides its payload.
	Overhead = 8
)

// The codes of RESET that the protocol uses itself. Codes below 1<<31 are for programs.
const (
	CodeTooMany uint32 = 1<<31 + iota // the receiver of OPEN has as many channels as it allows
	CodePanic                         // the program that serves the channel has failed
)

// The codes of KILL.
const (
	KillAborted  uint32 = 0 // the program has aborted the session
	KillProtocol uint32 = 1 // the receiver of KILL has broken a rule
	KillCrowded  uint32 = 2 // the sender of KILL has no room for the session any more
)
