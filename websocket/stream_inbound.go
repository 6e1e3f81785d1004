package websocket

import (
	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// What takePart finds beside the events of take.
const (
	part     = closing + 1 + iota // payload of the message in hand
	lastPart                      // the same, and the message ends with it; there may be none
)

// begun reports whether a message is in hand: more of it is to come.
func (in *inbound) begun() bool {
	return in.seq.Open() || in.framed && !in.opcode.IsControl()
}

// takePart is take for a message that is handed out as it comes: p is payload, unmasked, in dst. When dst is empty, or
// the message is compressed, nothing is taken behind the header of a frame that has any payload.
func (in *inbound) takePart(b, dst []byte) (e event, p []byte, n int, err error) {
	for {
		if !in.framed {
			size, err := in.header(b[n:], false)
			if size == 0 || err != nil {
				return nothing, nil, n, err
			}
			n += size
		}
		piece := b[n : n+int(min(in.left, int64(len(b)-n)))]
		if in.opcode.IsControl() {
			e, p = in.control(piece)
			return e, p, n + len(piece), nil
		}
		if in.seq.Compressed() {
			return nothing, nil, n, nil
		}
		piece = piece[:min(len(piece), len(dst))]
		n += len(piece)
		e, err = in.unveil(dst[:len(piece)], piece)
		if len(piece) > 0 || e == lastPart || err != nil {
			return e, dst[:len(piece)], n, err
		}
		if in.framed {
			return nothing, nil, n, nil
		}
	}
}

// unveil unmasks payload of the frame in hand from src to dst, and looks at it. The two are as long as each other, and
// may be the same.
func (in *inbound) unveil(dst, src []byte) (event, error) {
	var ascii bool
	in.key, ascii = mask.XORASCII(dst, src, in.key)
	in.left -= int64(len(src))
	in.streamed += int64(len(src))
	if in.seq.Opcode() == wsframe.Text && !(ascii && in.text.Done()) {
		if _, ok := in.text.Write(dst); !ok {
			return nothing, errText
		}
	}
	if in.left > 0 {
		return part, nil
	}
	in.framed = false
	if in.seq.Open() {
		return part, nil
	}
	in.streamed = 0
	if !in.text.Done() {
		return nothing, errText
	}
	return lastPart, nil
}
