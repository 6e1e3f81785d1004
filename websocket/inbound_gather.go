package websocket

import (
	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/utf8x"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// control gathers the payload of a control frame; the event comes with its last byte.
func (in *inbound) control(piece []byte) (event, []byte) {
	if in.ctl == nil {
		in.ctl = bufpool.Get(wsframe.MaxControlPayload)[:0]
	}
	at := len(in.ctl)
	in.ctl = in.ctl[:at+len(piece)]
	in.key = mask.XOR(in.ctl[at:], piece, in.key)
	if in.left -= int64(len(piece)); in.left > 0 {
		return nothing, nil
	}
	in.framed = false
	switch in.opcode {
	case wsframe.Ping:
		return ping, in.ctl
	case wsframe.Pong:
		return pong, in.ctl
	}
	return closing, in.ctl
}

// gather adds a piece of payload to the message in hand; done says that it is whole. A piece that is at its place in
// msg already is unmasked there.
func (in *inbound) gather(piece []byte) (done bool, err error) {
	fresh := in.space(len(piece))
	in.msg = in.msg[:len(in.msg)+len(piece)]
	var ascii bool
	in.key, ascii = mask.XORASCII(fresh, piece, in.key)
	in.left -= int64(len(piece))
	compressed := in.seq.Compressed()
	if !compressed && in.seq.Opcode() == wsframe.Text && !(ascii && in.text.Done()) {
		if _, ok := in.text.Write(fresh); !ok {
			return false, errText
		}
	}
	if in.left > 0 {
		return false, nil
	}
	in.framed = false
	if !in.fin {
		return false, nil
	}
	if compressed {
		return true, in.decompress()
	}
	if !in.text.Done() {
		return false, errText
	}
	return true, nil
}

// space returns room for n more bytes behind msg, which may move. Beyond the pool's sizes it doubles, or a message that
// comes in small pieces would be copied with each of them.
func (in *inbound) space(n int) []byte {
	used := len(in.msg)
	size := used + n
	if size > cap(in.msg) && size > bufpool.Max {
		size = max(size, 2*used)
	}
	in.msg = bufpool.Grow(in.msg, size)[:used]
	return in.msg[used : used+n]
}

// decompress replaces msg by what it says.
func (in *inbound) decompress() error {
	plain, err := in.inflate.message(in.msg, in.limit.Load())
	bufpool.Put(in.msg)
	in.msg = plain
	if err == nil && in.seq.Opcode() == wsframe.Text && !utf8x.Valid(plain) {
		err = errText
	}
	return err
}

// ahead returns room for payload of a message in hand that is to be received right there, nil when there is no such
// message or too little of it to come. It never is more than twice what has come.
func (in *inbound) ahead() []byte {
	if !in.framed || in.opcode.IsControl() || in.left < aheadFrom || in.stream != nil {
		return nil
	}
	return in.space(int(min(in.left, int64(max(aheadFrom, 2*len(in.msg))))))
}

// aheadFrom is from how many bytes to come a system call of their own pays.
const aheadFrom = 8 << 10

// release gives back what the last event's payload lay in, unless it is kept.
func (in *inbound) release() {
	if in.ctl != nil && !in.framed {
		bufpool.Put(in.ctl)
		in.ctl = nil
	}
	if in.msg != nil && !in.whole && !in.seq.Open() && !in.framed {
		in.dropMessage()
	}
}

// borrow has the message that begins gathered in dst, if it is in one frame and fits.
func (in *inbound) borrow(dst []byte) {
	if len(dst) > 0 && in.fin && in.msg == nil && !in.opcode.IsControl() && !in.seq.Compressed() && in.left <= int64(len(dst)) {
		in.msg, in.lent = dst[:0:in.left], true
	}
}

// keepLent gives a buffer that was lent back: what has come of the message is kept elsewhere.
func (in *inbound) keepLent() {
	if in.lent {
		in.msg, in.lent = append(bufpool.Get(len(in.msg))[:0], in.msg...), false
	}
}

func (in *inbound) dropMessage() {
	if !in.lent {
		bufpool.Put(in.msg)
	}
	in.msg, in.lent = nil, false
}

// keep holds p, a message that take has found, for a reader to come.
func (in *inbound) keep(p []byte) {
	if len(in.msg) == 0 || len(p) == 0 || &in.msg[0] != &p[0] {
		in.msg = append(bufpool.Get(len(p))[:0], p...)
	}
	in.whole = true
}

// drop gives back all that is held.
func (in *inbound) drop() {
	bufpool.Put(in.ctl)
	in.dropMessage()
	in.ctl, in.whole = nil, false
}
