package wsframe

// MaxHeaderSize is the maximum length of a header: two bytes, eight of length and four of key.
const MaxHeaderSize = 14

// MaxControlPayload is the maximum payload of a control frame (RFC 6455 §5.5).
const MaxControlPayload = 125

// The bits of the first two bytes (RFC 6455 §5.2).
const (
	opcodeLow = 0x0F // first byte
	maskBit   = 0x80 // second byte
	lengthLow = 0x7F // second byte

	length16 = 126 // in the low bits of the second byte: two bytes of length follow
	length64 = 127 // in the low bits of the second byte: eight bytes of length follow
)

// RSV is a set of the three reserved bits, which extensions may use (RFC 6455 §5.2), at their positions in the first
// byte of a frame.
type RSV uint8

// The reserved bits.
const (
	RSV1 RSV = 0x40 // with permessage-deflate: the message is compressed (RFC 7692 §6)
	RSV2 RSV = 0x20 // no registered extension uses it
	RSV3 RSV = 0x10 // no registered extension uses it

	allRSV = RSV1 | RSV2 | RSV3
)

// String returns the names of the bits that are set, such as "RSV1 RSV3", or "none".
func (r RSV) String() string {
	s := ""
	for i, name := range [...]string{" RSV1", " RSV2", " RSV3"} {
		if r&(RSV1>>i) != 0 {
			s += name
		}
	}
	if s == "" {
		return "none"
	}
	return s[1:]
}

// Kind is the first byte of a frame: its opcode, the reserved bits that are set, and whether it is the last frame of its
// message. Kind(o) is a frame of opcode o that is not the last.
type Kind uint8

// FIN is the bit of a Kind that marks the last frame of a message.
const FIN Kind = 0x80

// Final returns the Kind of a control frame, or of the last frame of a message, which may be its only one.
func Final(o Opcode) Kind { return FIN | Kind(o) }

// With returns k with the reserved bits r set, too.
func (k Kind) With(r RSV) Kind { return k | Kind(r) }

// Opcode returns the type of the frame.
func (k Kind) Opcode() Opcode { return Opcode(k & opcodeLow) }

// RSV returns the reserved bits that are set. A Sequence checks whether they may be.
func (k Kind) RSV() RSV { return RSV(k) & allRSV }

// Fin reports whether the frame is the last of its message. Every control frame is.
func (k Kind) Fin() bool { return k&FIN != 0 }

// Header is the header of a frame (RFC 6455 §5.2). It has four fields because the compiler only keeps structs of up to
// four fields in registers, which makes Parse twice as fast.
type Header struct {
	Kind
	// Masked reports whether the payload is masked with Key. The Key of a masked frame may be 0.
	Masked bool
	// Key is the masking key in the form of package mask: its four bytes as they are sent, read little-endian. It is 0
	// in an unmasked frame.
	Key uint32
	// Length is the length of the payload in bytes, up to 2^63-1.
	Length int64
}

// Size returns the number of bytes that Append writes for h: 2 to MaxHeaderSize.
func (h Header) Size() int {
	n := 2
	switch {
	case h.Length > 0xFFFF:
		n += 8
	case h.Length >= length16:
		n += 2
	}
	if h.Masked {
		n += 4
	}
	return n
}
