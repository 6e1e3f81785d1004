package load

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// compare holds a piece of payload against what was sent; a compressed one is kept until the message is whole, as long
// as it may be the right one.
func (e *echo) compare(piece []byte) {
	want := e.msg.payloads[e.turn]
	if e.seq.Compressed() {
		e.length += len(piece)
		if most := len(want) + len(want)/100 + 64; e.length <= most { // what does not compress becomes a little longer
			e.squeezed = append(e.squeezed, piece...)
		}
		return
	}
	end := e.length + len(piece)
	e.other = e.other || end <= len(want) && !bytes.Equal(piece, want[e.length:end])
	e.length = end
}

// settle accounts for a whole message.
func (e *echo) settle(s *seat, now int64) {
	if e.seq.Compressed() {
		e.inflate(s.shard)
	}
	var wrong *int64
	switch errors := &s.shard.now.errors; {
	case e.length != len(e.msg.payloads[e.turn]):
		wrong = &errors.Length
	case e.other:
		wrong = &errors.Content
	}
	s.settle(now, wrong)
	e.next()
}

// next makes ready for the next message.
func (e *echo) next() {
	if e.turn++; e.turn == len(e.msg.payloads) {
		e.turn = 0
	}
	e.length, e.other, e.squeezed = 0, false, e.squeezed[:0]
}

// inflate compares a compressed message. If it is the right one the shard remembers its frame: a server that compresses
// each message by itself says the same in the same bytes, which need not be inflated again.
func (e *echo) inflate(known *shard) {
	want := e.msg.payloads[e.turn]
	got, err := inflated(e.squeezed, len(want)+1)
	if err == nil {
		e.length = len(got)
	}
	if err != nil || !bytes.Equal(got, want) {
		e.other = true
		return
	}
	if e.opcode == e.msg.opcode { // one frame
		h := wsframe.Header{Kind: wsframe.Kind{Opcode: e.opcode, RSV: wsframe.RSV1, Fin: true}, Length: int64(len(e.squeezed))}
		known.squeezed = append(wsframe.Append(known.squeezed[:0], h), e.squeezed...)
	}
}
