package wsmessage

import (
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// TakePart is Take for a message that is handed out as it arrives: p is unmasked payload in dst. If dst is empty or the
// message is compressed, it stops after the header of a frame with payload.
func (a *Assembler) TakePart(b, dst []byte) (e Event, p []byte, n int, err error) {
	for {
		if !a.framed {
			size, err := a.header(b[n:], false)
			if size == 0 || err != nil {
				return Nothing, nil, n, err
			}
			n += size
		}
		piece := b[n : n+int(min(a.left, int64(len(b)-n)))]
		if a.kind.Opcode().IsControl() {
			e, p = a.control(piece)
			return e, p, n + len(piece), nil
		}
		if a.seq.Compressed() {
			return Nothing, nil, n, nil
		}
		piece = piece[:min(len(piece), len(dst))]
		n += len(piece)
		e, err = a.unmaskPart(dst[:len(piece)], piece)
		if len(piece) > 0 || e == LastPart || err != nil {
			return e, dst[:len(piece)], n, err
		}
		if a.framed {
			return Nothing, nil, n, nil
		}
	}
}

// TakeInPlace is TakePart for a frame that has begun, and only takes bytes of that frame. Payload p is unmasked where it lies
// in b, and may be empty. The second argument is not used: TakeInPlace can stand for Take.
func (a *Assembler) TakeInPlace(b, _ []byte) (e Event, p []byte, n int, err error) {
	p = b[:int(min(a.left, int64(len(b))))]
	n = len(p)
	if a.kind.Opcode().IsControl() {
		e, p = a.control(p)
		return e, p, n, nil
	}
	e, err = a.unmaskPart(p, p)
	return e, p, n, err
}

// unmaskPart unmasks payload of the current frame from src to dst and checks it. The two have the same length, and may
// be the same memory.
func (a *Assembler) unmaskPart(dst, src []byte) (Event, error) {
	var ascii bool
	a.key, ascii = mask.XORASCII(dst, src, a.key)
	a.left -= int64(len(src))
	a.streamed += int64(len(src))
	if a.seq.Opcode() == wsframe.Text && !(ascii && a.text.Done()) {
		if _, ok := a.text.Write(dst); !ok {
			return Nothing, ErrText
		}
	}
	if a.left > 0 {
		return Part, nil
	}
	a.framed = false
	if a.seq.Open() {
		return Part, nil
	}
	a.streamed = 0
	if !a.text.Done() {
		return Nothing, ErrText
	}
	return LastPart, nil
}
