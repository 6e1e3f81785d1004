package wsframe

import "encoding/binary"

// Append appends the encoding of h, h.Size() bytes with the shortest form of the length, and returns the extended slice.
// It does not check h: a Sequence made by Outgoing tells whether the frame may be sent.
func Append(dst []byte, h Header) []byte {
	first, second := byte(h.Kind), byte(0)
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
