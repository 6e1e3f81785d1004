package wsmessage

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// control gathers the payload of a control frame. It returns the event with the last byte.
func (a *Assembler) control(piece []byte) (Event, []byte) {
	if a.ctl == nil {
		a.ctl = bufpool.Get(wsframe.MaxControlPayload)[:0]
	}
	at := len(a.ctl)
	a.ctl = a.ctl[:at+len(piece)]
	a.key = mask.XOR(a.ctl[at:], piece, a.key)
	if a.left -= int64(len(piece)); a.left > 0 {
		return Nothing, nil
	}
	a.framed = false
	switch a.kind.Opcode() {
	case wsframe.Ping:
		return Ping, a.ctl
	case wsframe.Pong:
		return Pong, a.ctl
	}
	return Close, a.ctl
}

// gather appends a piece of payload to the current message; done reports whether the message is complete. A piece that
// was received into its place in msg is unmasked there.
func (a *Assembler) gather(piece []byte) (done bool, err error) {
	fresh := a.space(len(piece))
	a.msg = a.msg[:len(a.msg)+len(piece)]
	var ascii bool
	a.key, ascii = mask.XORASCII(fresh, piece, a.key)
	a.left -= int64(len(piece))
	compressed := a.seq.Compressed()
	if !compressed && a.seq.Opcode() == wsframe.Text && !(ascii && a.text.Done()) {
		if _, ok := a.text.Write(fresh); !ok {
			return false, ErrText
		}
	}
	if a.left > 0 {
		return false, nil
	}
	a.framed = false
	if !a.kind.Fin() {
		return false, nil
	}
	if compressed {
		return true, nil
	}
	if !a.text.Done() {
		return false, ErrText
	}
	return true, nil
}

// space returns the n bytes after msg, which may have to move. Beyond the sizes of the pool the capacity doubles, or a
// message that arrives in small pieces would be copied for each of them.
func (a *Assembler) space(n int) []byte {
	used := len(a.msg)
	size := used + n
	if size > cap(a.msg) && size > bufpool.Max {
		size = max(size, 2*used)
	}
	a.msg = bufpool.Grow(a.msg, size)[:used]
	return a.msg[used : used+n]
}

// SetContent replaces the payload of the compressed message found last by its content, a buffer from the pool.
func (a *Assembler) SetContent(plain []byte) error {
	a.dropMessage()
	a.msg = plain
	if a.seq.Opcode() == wsframe.Text && !utf8x.Valid(plain) {
		return ErrText
	}
	return nil
}
