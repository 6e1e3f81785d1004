package wsframe

import (
	"encoding/binary"
	"math/bits"

	"github.com/shockwave-go/shockwave"
)

// Parse reads a frame header from the start of b and returns its length n. If b ends before the header does, n is 0 and
// err is nil. The payload begins at b[n:]. Nothing of b is kept.
//
// A header is rejected at its first bad byte, even if it is incomplete; the error is an *Error. Parse does not check
// what depends on earlier frames, the role or extensions: pass the header to a Sequence for that.
func Parse(b []byte) (h Header, n int, err error) {
	// Eight bytes hold any header without a 64-bit length, and are nearly always there: only a tiny frame is shorter
	// (masked, with less than two bytes of payload; unmasked, with less than six). They are read as one word. Anything
	// unusual goes to parseSlow, which finds out what is wrong.
	if len(b) < 8 {
		return parseSlow(b)
	}
	w := binary.LittleEndian.Uint64(b)
	opcode, short := Opcode(w&opcodeLow), w>>8&lengthLow
	if opcode > Binary && (opcode.IsReserved() || w&uint64(FIN) == 0 || short > MaxControlPayload) {
		return parseSlow(b)
	}
	length, size := int64(short), 2
	kind, masked := Kind(w), uint32(w)>>15&1
	w >>= 16
	if short >= length16 {
		length, size = int64(bits.ReverseBytes16(uint16(w))), 4
		w >>= 16
		if short == length64 || length < length16 {
			return parseSlow(b)
		}
	}
	return Header{
		Kind:   kind,
		Masked: masked != 0,
		Key:    uint32(w) & -masked,
		Length: length,
	}, size + int(masked)*4, nil
}

// parseSlow is Parse for any b, byte by byte.
func parseSlow(b []byte) (Header, int, error) {
	if len(b) == 0 {
		return Header{}, 0, nil
	}
	h := Header{Kind: Kind(b[0])}
	switch {
	case h.Opcode().IsReserved():
		return Header{}, 0, errOpcode[shockwave.Peer]
	case h.Opcode().IsControl() && !h.Fin():
		return Header{}, 0, errControlFin[shockwave.Peer]
	case len(b) == 1:
		return Header{}, 0, nil
	}
	h.Masked = b[1]&maskBit != 0
	short := b[1] & lengthLow
	if h.Opcode().IsControl() && short > MaxControlPayload {
		return Header{}, 0, errControlLength[shockwave.Peer]
	}
	n := 2
	switch short {
	default:
		h.Length = int64(short)
	case length16, length64:
		length, size, err := parseLength(b[2:], short)
		if size == 0 {
			return Header{}, 0, err
		}
		h.Length, n = length, 2+size
	}
	if h.Masked {
		if len(b) < n+4 {
			return Header{}, 0, nil
		}
		h.Key = binary.LittleEndian.Uint32(b[n:])
		n += 4
	}
	return h, n, nil
}

// parseLength reads the extended length after the first two bytes; short says which form it has. "The minimal number of
// bytes MUST be used to encode the length", and "the most significant bit MUST be 0" (RFC 6455 §5.2).
func parseLength(b []byte, short byte) (length int64, size int, err error) {
	if short == length16 {
		if len(b) < 2 {
			return 0, 0, nil
		}
		length = int64(binary.BigEndian.Uint16(b))
		if length < length16 {
			return 0, 0, errLengthForm
		}
		return length, 2, nil
	}
	if len(b) > 0 && b[0]&0x80 != 0 {
		return 0, 0, errLengthSign[shockwave.Peer]
	}
	// With six zero bytes in front, the length would have fitted into two bytes.
	if len(b) >= 6 && string(b[:6]) == "\x00\x00\x00\x00\x00\x00" {
		return 0, 0, errLengthForm
	}
	if len(b) < 8 {
		return 0, 0, nil
	}
	return int64(binary.BigEndian.Uint64(b)), 8, nil
}
