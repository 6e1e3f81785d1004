package websocket

import (
	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// control gathers the payload of a control frame. It returns the event with the last byte.
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
	switch in.kind.Opcode() {
	case wsframe.Ping:
		return ping, in.ctl
	case wsframe.Pong:
		return pong, in.ctl
	}
	return closing, in.ctl
}

// gather appends a piece of payload to the current message; done reports whether the message is complete. A piece that
// was received into its place in msg is unmasked there.
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
	if !in.kind.Fin() {
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

// space returns the n bytes after msg, which may have to move. Beyond the sizes of the pool the capacity doubles, or a
// message that arrives in small pieces would be copied for each of them.
func (in *inbound) space(n int) []byte {
	used := len(in.msg)
	size := used + n
	if size > cap(in.msg) && size > bufpool.Max {
		size = max(size, 2*used)
	}
	in.msg = bufpool.Grow(in.msg, size)[:used]
	return in.msg[used : used+n]
}

// decompress replaces msg by its decompressed content.
func (in *inbound) decompress() error {
	plain, err := in.inflate.message(in.msg, in.limit.Load())
	bufpool.Put(in.msg)
	in.msg = plain
	if err == nil && in.seq.Opcode() == wsframe.Text && !utf8x.Valid(plain) {
		err = errText
	}
	return err
}

// directReadMin is the number of missing bytes from which a system call of their own pays off. It is more than a control
// frame has.
const directReadMin = 8 << 10

// readsDirectly reports whether so much payload of the current frame is missing that it is received to its place.
func (in *inbound) readsDirectly() bool { return in.framed && in.left >= directReadMin }

// receiveSpace returns space at the end of msg to receive payload into. It is never more than twice the size of what has
// arrived, or directReadMin.
func (in *inbound) receiveSpace() []byte {
	return in.space(int(min(in.left, int64(max(directReadMin, 2*len(in.msg))))))
}

// release releases the buffer of the last event's payload, unless it is still needed.
func (in *inbound) release() {
	if in.ctl != nil || in.msg != nil {
		in.releaseBuffers()
	}
}

func (in *inbound) releaseBuffers() {
	if in.framed {
		return
	}
	bufpool.Put(in.ctl)
	in.ctl = nil
	if !in.whole && !in.seq.Open() {
		in.dropMessage()
	}
}

// gatherInto makes dst the buffer of the message that begins, if it is in one frame and fits.
func (in *inbound) gatherInto(dst []byte) {
	if len(dst) > 0 && in.kind.Fin() && in.msg == nil && !in.kind.Opcode().IsControl() && !in.seq.Compressed() && in.left <= int64(len(dst)) {
		in.msg, in.lent = dst[:0:in.left], true
	}
}

// keepLent gives a lent buffer back to its owner; the bytes of the message so far are copied.
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

// keep keeps p, a message found by take, for a later read.
func (in *inbound) keep(p []byte) {
	if len(in.msg) == 0 || len(p) == 0 || &in.msg[0] != &p[0] {
		in.msg = append(bufpool.Get(len(p))[:0], p...)
	}
	in.whole = true
}

// drop releases all buffers.
func (in *inbound) drop() {
	bufpool.Put(in.ctl)
	in.dropMessage()
	in.ctl, in.whole = nil, false
}
