package wsframe

import "strconv"

// Opcode is the type of a frame (RFC 6455 §5.2). It has four bits.
type Opcode uint8

// The opcodes of RFC 6455 §11.8. All others are reserved.
const (
	Continuation Opcode = 0x0 // continues the open message
	Text         Opcode = 0x1 // starts a text message
	Binary       Opcode = 0x2 // starts a binary message
	Close        Opcode = 0x8 // closes the sender's direction; ParseClose reads its payload
	Ping         Opcode = 0x9 // asks for a Pong with the same payload
	Pong         Opcode = 0xA // answers a Ping, or is sent unasked as a sign of life
)

// IsControl reports whether the opcode is that of a control frame, which may stand between the frames of a message (RFC
// 6455 §5.5). It is true for the reserved control opcodes too.
func (o Opcode) IsControl() bool { return o&0x8 != 0 }

// IsReserved reports whether the opcode is reserved by RFC 6455 §5.2.
func (o Opcode) IsReserved() bool { return o > Pong || o > Binary && o < Close }

// String returns a name such as "ping", or "opcode 3" for a reserved one.
func (o Opcode) String() string {
	switch o {
	case Continuation:
		return "continuation"
	case Text:
		return "text"
	case Binary:
		return "binary"
	case Close:
		return "close"
	case Ping:
		return "ping"
	case Pong:
		return "pong"
	}
	return "opcode " + strconv.Itoa(int(o))
}
