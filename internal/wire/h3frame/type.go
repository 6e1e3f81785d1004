package h3frame

// Type is the type of a frame (RFC 9114 §7.2).
type Type uint64

// The types of frames.
const (
	Data                  Type = 0x00
	Headers               Type = 0x01
	CancelPush            Type = 0x03
	Settings              Type = 0x04
	PushPromise           Type = 0x05
	GoAway                Type = 0x07
	MaxPushID             Type = 0x0d
	PriorityUpdateRequest Type = 0xF0700 // RFC 9218 §7.2
	PriorityUpdatePush    Type = 0xF0701
	WebTransport          Type = 0x41 // no frame: what follows belongs to a session of WebTransport (draft-ietf-webtrans-http3)
)

// isHTTP2 reports whether t was a type of HTTP/2's that HTTP/3 has not taken over (RFC 9114 §7.2.8).
func (t Type) isHTTP2() bool { return t == 0x02 || t == 0x06 || t == 0x08 || t == 0x09 }

// StreamType is the type of a unidirectional stream (RFC 9114 §6.2).
type StreamType uint64

// The types of unidirectional streams.
const (
	ControlStream      StreamType = 0x00
	PushStream         StreamType = 0x01
	EncoderStream      StreamType = 0x02 // RFC 9204 §4.2
	DecoderStream      StreamType = 0x03
	WebTransportStream StreamType = 0x54
)

// header reads the header of a frame: its type and the length of its payload. n is the number of its bytes, 0 if b does not hold
// all of them.
func header(b []byte) (t Type, length uint64, n int) {
	kind, a := Varint(b)
	if a == 0 {
		return 0, 0, 0
	}
	length, c := Varint(b[a:])
	if c == 0 {
		return 0, 0, 0
	}
	return Type(kind), length, a + c
}

// AppendHeader appends the header of a frame whose payload has length bytes.
func AppendHeader(dst []byte, t Type, length uint64) []byte {
	return AppendVarint(AppendVarint(dst, uint64(t)), length)
}
