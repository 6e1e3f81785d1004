package websocket

import (
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// The events of takePart in addition to those of take.
const (
	part     = closing + 1 + iota // payload of the current message
	lastPart                      // the last payload of the current message; may be empty
)

// begun reports whether the current message has begun and more of it is to come.
func (in *inbound) begun() bool {
	return in.seq.Open() || in.framed && !in.kind.Opcode().IsControl()
}

// takePart is take for a message that is handed out as it arrives: p is unmasked payload in dst. If dst is empty or the
// message is compressed, it stops after the header of a frame with payload.
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
		if in.kind.Opcode().IsControl() {
			e, p = in.control(piece)
			return e, p, n + len(piece), nil
		}
		if in.seq.Compressed() {
			return nothing, nil, n, nil
		}
		piece = piece[:min(len(piece), len(dst))]
		n += len(piece)
		e, err = in.unmaskPart(dst[:len(piece)], piece)
		if len(piece) > 0 || e == lastPart || err != nil {
			return e, dst[:len(piece)], n, err
		}
		if in.framed {
			return nothing, nil, n, nil
		}
	}
}

// unmaskPart unmasks payload of the current frame from src to dst and checks it. The two have the same length, and may
// be the same memory.
func (in *inbound) unmaskPart(dst, src []byte) (event, error) {
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
