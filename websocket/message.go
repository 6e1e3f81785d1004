package websocket

import "github.com/shockwave-go/shockwave/internal/wire/wsframe"

// MessageType is the type of a message: text or binary (RFC 6455 §5.6).
type MessageType uint8

// The message types.
const (
	TextMessage   = MessageType(wsframe.Text)   // UTF-8 text; incoming text is checked
	BinaryMessage = MessageType(wsframe.Binary) // any bytes
)

// String returns "text" or "binary".
func (t MessageType) String() string { return wsframe.Opcode(t).String() }

// valid reports whether t is text or binary.
func (t MessageType) valid() bool { return t == TextMessage || t == BinaryMessage }

// finalKind returns the kind of a message in one frame.
func (t MessageType) finalKind() wsframe.Kind { return wsframe.Final(wsframe.Opcode(t)) }

// Message is one message. Data belongs to the holder of the Message.
type Message struct {
	Type MessageType
	Data []byte
}
