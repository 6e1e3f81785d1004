package wsframe

import "strconv"

// Opcode says what a frame is (RFC 6455 §5.2). It has four bits.
type Opcode uint8

// The opcodes of RFC 6455 §11.8. All others are reserved.
const (
	Continuation Opcode = 0x0 // goes on with the message that is open
	Text         Opcode = 0x1 // begins a message of UTF-8 text
	Binary       Opcode = 0x2 // begins a message of bytes
	Close        Opcode = 0x8 // ends a direction; its payload is read by ParseClose
	Ping         Opcode = 0x9 // asks for a Pong with the same payload
	Pong         Opcode = 0xA // answers a Ping, or says "still here"
)

// IsControl reports whether the frame is of the kind that may stand between the frames of a message (RFC 6455 §5.5). It
// is true for the reserved control opcodes too.
func (o Opcode) IsControl() bool { return o&0x8 != 0 }

// IsReserved reports whether RFC 6455 §5.2 gives the opcode no meaning.
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
