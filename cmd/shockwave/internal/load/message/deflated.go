package message

import (
	"bytes"
	"slices"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// known is what the connections of a shard know of compressed echoes.
type known struct {
	frames   [][]byte // by turn: a compressed frame that is right; nil: none is known
	inflater inflater
}

// deflated compares the compressed echoes on one connection with what was sent.
type deflated struct {
	msg    *messages
	known  *known
	kept   []byte // compressed message so far
	window []byte // with takeover: the server's compression window if it is not what was sent; else nil
}

// next prepares for the next message.
func (d *deflated) next() { d.kept = d.kept[:0] }

// frame returns a frame that is a right echo of the message with index turn, or nil if none is known.
func (d *deflated) frame(turn int) []byte {
	if !d.msg.spec.Deflate || d.window != nil {
		return nil
	}
	return d.known.frames[turn]
}

// keep keeps a piece of a compressed message until the message is complete, unless it is already too long to be the right
// one. length is how long the message is with that piece.
func (d *deflated) keep(piece []byte, length, turn int) {
	want := len(d.msg.payloads[turn])
	if most := want + want/100 + 64; length <= most { // incompressible data becomes a little longer
		d.kept = append(d.kept, piece...)
	}
}

// passed notes that a message has come uncompressed: it does not enter the window (RFC 7692 §7.2.3.2).
func (d *deflated) passed(turn int) {
	if d.msg.spec.Takeover && d.window == nil {
		d.window = slices.Clone(d.msg.before(turn))
	}
}

// compare decompresses the message that was kept, and compares it with the one with index turn. It returns the message's
// length. If it is right and came in one frame, with that opcode, the frame is remembered: the window is the same whenever
// that message comes, so an identical frame is right too and need not be inflated. After a wrong message compare may return
// pipeline.ErrLost.
func (d *deflated) compare(turn int, opcode wsframe.Opcode) (length int, right bool, err error) {
	before := d.window
	if before == nil {
		before = d.msg.before(turn)
	}
	want := d.msg.payloads[turn]
	got, err := d.known.inflater.inflate(d.kept, before, len(want)+1)
	if length = len(got); err != nil {
		length = len(want) // the length is unknown: count it as wrong content
	}
	switch right = err == nil && bytes.Equal(got, want); {
	case right && d.window == nil:
		d.remember(turn, opcode)
	case right:
		d.window = append(d.window, got...)
		d.window = append(d.window[:0], d.window[max(0, len(d.window)-window):]...)
	case d.msg.spec.Takeover:
		return length, false, pipeline.ErrLost // the wrong echo is in the server's window
	}
	return length, right, nil
}

// remember stores the frame of a message, if it came in one frame.
func (d *deflated) remember(turn int, opcode wsframe.Opcode) {
	if opcode != d.msg.opcode {
		return
	}
	h := wsframe.Header{Kind: wsframe.Final(opcode).With(wsframe.RSV1), Length: int64(len(d.kept))}
	d.known.frames[turn] = append(wsframe.Append(d.known.frames[turn][:0], h), d.kept...)
}
