package http2

import "encoding/binary"

// FrameType is the type of a frame (RFC 9113 §6). Frames of unknown types are ignored (RFC 9113 §5.5).
type FrameType uint8

// The types of RFC 9113 §6, and PRIORITY_UPDATE of RFC 9218 §7.1.
const (
	FrameData           FrameType = 0x0
	FrameHeaders        FrameType = 0x1
	FramePriority       FrameType = 0x2
	FrameRSTStream      FrameType = 0x3
	FrameSettings       FrameType = 0x4
	FramePushPromise    FrameType = 0x5
	FramePing           FrameType = 0x6
	FrameGoAway         FrameType = 0x7
	FrameWindowUpdate   FrameType = 0x8
	FrameContinuation   FrameType = 0x9
	FramePriorityUpdate FrameType = 0x10
)

// Flags are the flags of a frame. Their meaning depends on the frame's type.
type Flags uint8

// The flags of RFC 9113 §6.
const (
	FlagEndStream  Flags = 0x1 // DATA, HEADERS
	FlagAck        Flags = 0x1 // SETTINGS, PING
	FlagEndHeaders Flags = 0x4 // HEADERS, CONTINUATION
	FlagPadded     Flags = 0x8 // DATA, HEADERS
	FlagPriority   Flags = 0x20
)

// FrameHeaderLen is the length of a frame header in bytes (RFC 9113 §4.1).
const FrameHeaderLen = 9

// FrameHeader is the header of a frame.
type FrameHeader struct {
	Length uint32 // length of the payload, 24 bits
	Type   FrameType
	Flags  Flags
	Stream uint32 // stream identifier, 31 bits; the reserved bit is ignored (RFC 9113 §4.1)
}

// ParseFrameHeader parses the header at the start of b, which must have at least FrameHeaderLen bytes.
func ParseFrameHeader(b []byte) FrameHeader {
	_ = b[8]
	return FrameHeader{
		Length: uint32(b[0])<<16 | uint32(b[1])<<8 | uint32(b[2]),
		Type:   FrameType(b[3]),
		Flags:  Flags(b[4]),
		Stream: binary.BigEndian.Uint32(b[5:]) & maxStreamID,
	}
}

// Append appends the header to dst.
func (h FrameHeader) Append(dst []byte) []byte {
	return append(dst, byte(h.Length>>16), byte(h.Length>>8), byte(h.Length), byte(h.Type), byte(h.Flags),
		byte(h.Stream>>24), byte(h.Stream>>16), byte(h.Stream>>8), byte(h.Stream))
}

const (
	maxStreamID = 1<<31 - 1
	maxWindow   = 1<<31 - 1 // RFC 9113 §6.9.1

	defaultWindow    = 65_535 // RFC 9113 §6.9.2
	minFrameSize     = 16_384 // RFC 9113 §4.2: every endpoint accepts this
	maxFrameSize     = 1<<24 - 1
	defaultTableSize = 4_096
)

func appendRST(dst []byte, id uint32, code ErrCode) []byte {
	dst = FrameHeader{Length: 4, Type: FrameRSTStream, Stream: id}.Append(dst)
	return binary.BigEndian.AppendUint32(dst, uint32(code))
}

func appendWindowUpdate(dst []byte, id, increment uint32) []byte {
	dst = FrameHeader{Length: 4, Type: FrameWindowUpdate, Stream: id}.Append(dst)
	return binary.BigEndian.AppendUint32(dst, increment)
}

func appendPing(dst []byte, flags Flags, opaque uint64) []byte {
	dst = FrameHeader{Length: 8, Type: FramePing, Flags: flags}.Append(dst)
	return binary.BigEndian.AppendUint64(dst, opaque)
}

func appendGoAway(dst []byte, last uint32, code ErrCode, debug string) []byte {
	dst = FrameHeader{Length: uint32(8 + len(debug)), Type: FrameGoAway}.Append(dst)
	dst = binary.BigEndian.AppendUint32(dst, last)
	dst = binary.BigEndian.AppendUint32(dst, uint32(code))
	return append(dst, debug...)
}
