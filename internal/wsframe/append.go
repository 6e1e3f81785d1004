package wsframe

import "encoding/binary"

// Append appends the encoding of h, h.Size() bytes with the shortest form of the length, and returns the extended slice.
// It does not check h: a Sequence made by Outgoing tells whether the frame may be sent.
func Append(dst []byte, h Header) []byte {
	first, second := byte(h.RSV&allRSV)|byte(h.Opcode&opcodeLow), byte(0)
	if h.Fin {
		first |= finBit
	}
	if h.Masked {
		second = maskBit
	}
	switch {
	case uint64(h.Length) < length16:
		dst = append(dst, first, second|byte(h.Length))
	case uint64(h.Length) <= 0xFFFF:
		dst = append(dst, first, second|length16, byte(h.Length>>8), byte(h.Length))
	default:
		dst = append(dst, first, second|length64)
		dst = binary.BigEndian.AppendUint64(dst, uint64(h.Length))
	}
	if h.Masked {
		dst = binary.LittleEndian.AppendUint32(dst, h.Key)
	}
	return dst
}

// AppendMessage appends p as a message in one frame of a server: final, unmasked and without extensions. It is a faster
// form of Append followed by append, for the most common frames.
func AppendMessage(dst []byte, o Opcode, p []byte) []byte {
	first, n := finBit|byte(o&opcodeLow), len(p)
	switch {
	case n < length16:
		dst = append(dst, first, byte(n))
	case n <= 0xFFFF:
		dst = append(dst, first, length16, byte(n>>8), byte(n))
	default:
		dst = append(dst, first, length64)
		dst = binary.BigEndian.AppendUint64(dst, uint64(n))
	}
	return append(dst, p...)
}
