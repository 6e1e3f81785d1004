package load

import (
	"bytes"
	"errors"
	"slices"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// errLost ends a connection on which further echoes cannot be decompressed: a wrong echo has entered the server's
// compression window.
var errLost = errors.New("load: the server's window is not known any more")

// compare compares a piece of payload with what was sent. A piece of a compressed message is kept until the message is
// complete, unless the message is already too long to be the right one.
func (e *echoReader) compare(piece []byte) {
	if e.seq.Compressed() {
		want := e.msg.payloads[e.turn]
		e.length += len(piece)
		if most := len(want) + len(want)/100 + 64; e.length <= most { // incompressible data becomes a little longer
			e.compressed = append(e.compressed, piece...)
		}
		return
	}
	e.piece(piece)
}

// settle counts a complete WebSocket message.
func (e *echoReader) settle(s *slot, now int64) (err error) {
	switch {
	case e.seq.Compressed():
		err = e.inflate(s.shard)
	case e.msg.takeover && e.window == nil: // uncompressed messages do not enter the window (RFC 7692 §7.2.3.2)
		e.window = slices.Clone(e.msg.before(e.turn))
	}
	e.comparison.settle(s, now)
	e.compressed = e.compressed[:0]
	return err
}

// inflate decompresses and compares a message. If it is right the shard remembers its frame: the window is the same
// whenever that message comes, so an identical frame is right too and need not be inflated.
func (e *echoReader) inflate(known *shard) error {
	before := e.window
	if before == nil {
		before = e.msg.before(e.turn)
	}
	want := e.msg.payloads[e.turn]
	got, err := known.inflater.inflate(e.compressed, before, len(want)+1)
	if e.length = len(got); err != nil {
		e.length = len(want) // the length is unknown: count it as wrong content
	}
	switch right := err == nil && bytes.Equal(got, want); {
	case right && e.window == nil:
		e.remember(known)
	case right:
		e.window = append(e.window, got...)
		e.window = append(e.window[:0], e.window[max(0, len(e.window)-window):]...)
	default:
		e.differs = true
		if e.msg.takeover {
			return errLost
		}
	}
	return nil
}

// remember stores the frame of the current message, if the message came in one frame.
func (e *echoReader) remember(known *shard) {
	if e.opcode != e.msg.opcode {
		return
	}
	h := wsframe.Header{Kind: wsframe.Final(e.opcode).With(wsframe.RSV1), Length: int64(len(e.compressed))}
	known.compressed[e.turn] = append(wsframe.Append(known.compressed[e.turn][:0], h), e.compressed...)
}
