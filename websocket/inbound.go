package websocket

import (
	"math"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// inbound turns bytes into messages (RFC 6455 §6.2). It does no I/O: take is passed the bytes that have arrived, and
// returns the next event.
//
//	between frames ──header──► in a frame ──payload──► between frames, perhaps with an event
//
// A message in one frame that has arrived completely is unmasked in place or into the reader's buffer. Any other message
// is gathered in msg, which is the reader's buffer or grows with the bytes that have arrived, never with the length that
// a header announces.
type inbound struct {
	seq        wsframe.Sequence
	limit      atomic.Int64 // maximum length of a message, 0 for none; may be set concurrently
	kind       wsframe.Kind // of the current frame
	framed     bool         // in a frame: a header has been read, and left bytes of its payload are to come
	key        uint32       // for the next byte of payload
	left       int64
	text       utf8x.Validator
	msg        []byte // what has arrived of the current message; from the pool unless lent
	ctl        []byte // what has arrived of the current control frame; from the pool
	lent       bool   // msg is the reader's buffer
	whole      bool   // msg is a whole message that has not been returned yet
	peerClosed bool   // the peer's close frame has come and the program is to answer it: nothing more is read

	stream   *messageReader // the reader that the current message belongs to
	streamed int64          // how many bytes of the current message have been handed out in parts

	inflate *inflater // nil without permessage-deflate
}

// event is the result of take.
type event uint8

const (
	nothing event = iota // more bytes are needed
	message              // a message of the type that messageType returns
	ping
	pong
	closing
)

// messageType returns the type of the message found last.
func (in *inbound) messageType() MessageType { return MessageType(in.seq.Opcode()) }

// take consumes n bytes from the front of b, up to the first event, and returns the event with its payload p. p is a
// slice of b, of dst, or of a buffer that is valid until release. A message is put into dst if it is in one frame and
// fits. inbound may keep dst until the message is complete or keepLent is called. The error is a *ProtocolError or
// ErrTooBig, and final.
func (in *inbound) take(b, dst []byte) (e event, p []byte, n int, err error) {
	for {
		if !in.framed {
			size, err := in.header(b[n:], true)
			if size == 0 || err != nil {
				return nothing, nil, n, err
			}
			n += size
			if in.isWholeMessage(len(b) - n) {
				end := n + int(in.left)
				p, err = in.unmaskWhole(b[n:end:end], dst)
				return message, p, end, err
			}
			in.gatherInto(dst)
		}
		size := int(min(in.left, int64(len(b)-n)))
		piece := b[n : n+size]
		n += size
		if in.kind.Opcode().IsControl() {
			if e, p := in.control(piece); e != nothing {
				return e, p, n, nil
			}
		} else if done, err := in.gather(piece); done || err != nil {
			return message, in.msg, n, err
		}
		if in.framed || n == len(b) {
			return nothing, nil, n, nil
		}
	}
}

// header reads the header of the next frame; n is 0 if it is incomplete. held says that the message will be gathered.
func (in *inbound) header(b []byte, held bool) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := in.seq.Next(h); err != nil {
		return 0, err
	}
	if !h.Opcode().IsControl() && h.Length > in.room(held) {
		return 0, ErrTooBig
	}
	in.kind, in.key, in.left, in.framed = h.Kind, h.Key, h.Length, true
	return n, nil
}

// room returns how much more payload the current message may have. A message that is held in memory must fit a slice,
// whose length an int of 32 bits limits; compressed messages are always held.
func (in *inbound) room(held bool) int64 {
	most, compressed := in.limit.Load(), in.seq.Compressed()
	switch {
	case most == 0:
		most = math.MaxInt64
	case compressed:
		most += min(most/1000+64, math.MaxInt64-most) // incompressible data gets a little longer
	}
	room := most - int64(len(in.msg)) - in.streamed
	if held || compressed {
		room = min(room, int64(math.MaxInt-len(in.msg)))
	}
	return room
}

// The kinds of a frame that is an uncompressed message by itself.
const (
	wholeText   = wsframe.FIN | wsframe.Kind(wsframe.Text)
	wholeBinary = wsframe.FIN | wsframe.Kind(wsframe.Binary)
)

// isWholeMessage reports whether the current frame is an uncompressed message by itself and has arrived completely.
// there is how many bytes have arrived after its header.
func (in *inbound) isWholeMessage(there int) bool {
	return (in.kind == wholeText || in.kind == wholeBinary) && in.left <= int64(there)
}

// unmaskWhole unmasks a message of one frame: into dst if it fits, otherwise in place.
func (in *inbound) unmaskWhole(p, dst []byte) ([]byte, error) {
	in.framed = false
	to := p
	if len(p) <= len(dst) {
		to = dst[:len(p)]
	}
	if in.kind != wholeText {
		if in.key != 0 {
			mask.XOR(to, p, in.key)
		} else if len(p) <= len(dst) {
			copy(to, p)
		}
		return to, nil
	}
	if _, ascii := mask.XORASCII(to, p, in.key); !ascii && !utf8x.Valid(to) {
		return nil, errText
	}
	return to, nil
}

// frameFollows reports whether b begins with a whole frame, or with one that is malformed.
func frameFollows(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	h, n, err := wsframe.Parse(b)
	return err != nil || n > 0 && h.Length <= int64(len(b)-n)
}
