package load

import (
	"bytes"
	"errors"
	"slices"

	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// errLost is why a connection ends whose server has compressed a message with something that we do not know.
var errLost = errors.New("load: the server's window is not known any more")

// compare holds a piece of payload against what was sent; a compressed one is kept until the message is whole, as long
// as it may be the right one.
func (e *echo) compare(piece []byte) {
	if e.seq.Compressed() {
		want := e.msg.payloads[e.turn]
		e.length += len(piece)
		if most := len(want) + len(want)/100 + 64; e.length <= most { // what does not compress becomes a little longer
			e.squeezed = append(e.squeezed, piece...)
		}
		return
	}
	e.piece(piece)
}

// settle accounts for a whole message that is WebSocket's.
func (e *echo) settle(s *seat, now int64) (err error) {
	switch {
	case e.seq.Compressed():
		err = e.inflate(s.shard)
	case e.msg.takeover && e.own == nil: // it does not enter the window (RFC 7692 §7.2.3.2)
		e.own = slices.Clone(e.msg.before(e.turn))
	}
	e.comparison.settle(s, now)
	e.squeezed = e.squeezed[:0]
	return err
}

// inflate compares a compressed message. If it is the right one the shard remembers its frame: the window before it is
// the same whenever it is its turn, so the same bytes say the same, and need not be inflated again.
func (e *echo) inflate(known *shard) error {
	before := e.own
	if before == nil {
		before = e.msg.before(e.turn)
	}
	want := e.msg.payloads[e.turn]
	got, err := known.inflater.inflate(e.squeezed, before, len(want)+1)
	if e.length = len(got); err != nil {
		e.length = len(want) // nobody knows how long it is
	}
	switch right := err == nil && bytes.Equal(got, want); {
	case right && e.own == nil:
		e.remember(known)
	case right:
		e.own = append(e.own, got...)
		e.own = append(e.own[:0], e.own[max(0, len(e.own)-window):]...)
	default:
		e.other = true
		if e.msg.takeover {
			return errLost
		}
	}
	return nil
}

// remember keeps the frame that a message has come in, if it was one.
func (e *echo) remember(known *shard) {
	if e.opcode != e.msg.opcode {
		return
	}
	h := wsframe.Header{Kind: wsframe.Kind{Opcode: e.opcode, RSV: wsframe.RSV1, Fin: true}, Length: int64(len(e.squeezed))}
	known.squeezed[e.turn] = append(wsframe.Append(known.squeezed[e.turn][:0], h), e.squeezed...)
}
