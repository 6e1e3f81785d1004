package muxframe

import "encoding/binary"

func firstByte(t Type, f Flags) byte { return byte(t)<<4 | byte(f) }

// AppendData appends the header of a DATA frame whose payload has length bytes.
func AppendData(dst []byte, channel uint32, f Flags, length int) []byte {
	if channel < 0x80 && length < 0x80 {
		return append(dst, firstByte(Data, f), byte(channel), byte(length))
	}
	dst = append(dst, firstByte(Data, f))
	dst = appendVarint(dst, uint64(channel))
	return appendVarint(dst, uint64(length))
}

// DataHead returns how many bytes AppendData appends.
func DataHead(channel uint32, length int) int {
	return 1 + sizeVarint(uint64(channel)) + sizeVarint(uint64(length))
}

// AppendOpen appends an OPEN frame. If meta is nil it has no metadata.
func AppendOpen(dst []byte, channel uint32, name string, meta []byte) []byte {
	var f Flags
	if meta != nil {
		f = Metadata
	}
	dst = appendVarint(append(dst, firstByte(Open, f)), uint64(channel))
	dst = append(appendVarint(dst, uint64(len(name))), name...)
	if meta != nil {
		dst = append(appendVarint(dst, uint64(len(meta))), meta...)
	}
	return dst
}

// AppendEnd appends an END frame; f may be Stop.
func AppendEnd(dst []byte, channel uint32, f Flags) []byte {
	return appendVarint(append(dst, firstByte(End, f)), uint64(channel))
}

// AppendReset appends a RESET frame.
func AppendReset(dst []byte, channel, code uint32) []byte {
	return appendVarint(appendVarint(append(dst, firstByte(Reset, 0)), uint64(channel)), uint64(code))
}

// AppendWindow appends a WINDOW frame. Channel 0 is the session.
func AppendWindow(dst []byte, channel uint32, credit uint64) []byte {
	return appendVarint(appendVarint(append(dst, firstByte(Window, 0)), uint64(channel)), credit)
}

// AppendReserve appends a WINDOW frame for the reserve of a channel.
func AppendReserve(dst []byte, channel uint32, credit uint64) []byte {
	return appendVarint(appendVarint(append(dst, firstByte(Window, Reserve)), uint64(channel)), credit)
}

// AppendGrant appends a GRANT frame for the message that follows the given number of messages in its channel.
func AppendGrant(dst []byte, channel uint32, messages, credit uint64) []byte {
	dst = appendVarint(append(dst, firstByte(Grant, 0)), uint64(channel))
	return appendVarint(appendVarint(dst, messages), credit)
}

// AppendGoaway appends a GOAWAY frame. last is the largest channel number of the peer that was seen.
func AppendGoaway(dst []byte, last uint32) []byte {
	return appendVarint(append(dst, firstByte(Goaway, 0)), uint64(last))
}

// AppendAck appends an ACK frame.
func AppendAck(dst []byte, received uint64) []byte {
	return appendVarint(append(dst, firstByte(Ack, 0)), received)
}

// AppendPing appends a PING or PONG frame.
func AppendPing(dst []byte, t Type, token uint64) []byte {
	return binary.BigEndian.AppendUint64(append(dst, firstByte(t, 0)), token)
}

// AppendKill appends a KILL frame. text is for people, and cut off after MaxName bytes.
func AppendKill(dst []byte, code uint32, text string) []byte {
	dst = appendVarint(append(dst, firstByte(Kill, 0)), uint64(code))
	text = text[:min(len(text), MaxName)]
	return append(appendVarint(dst, uint64(len(text))), text...)
}
