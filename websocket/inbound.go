package websocket

import (
	"math"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/mask"
	"github.com/shockwave-go/shockwave/internal/utf8x"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// inbound makes messages of bytes (RFC 6455 §6.2). It does no I/O: take is given what has arrived, and says what it is.
//
//	between frames ──header──► in a frame ──payload──► between frames, perhaps with an event
//
// A message that lies whole in what arrived, in one frame, is unmasked where it lies or straight into the reader's
// buffer. What comes in pieces is gathered in msg, which is that buffer, or grows with what has come and never with what
// is announced.
type inbound struct {
	seq    wsframe.Sequence
	limit  atomic.Int64 // of a message; 0 is none. Anybody may set it
	opcode wsframe.Opcode
	fin    bool
	framed bool   // a header has been read, and left bytes of its payload are to come
	key    uint32 // for the next byte of payload
	left   int64
	text   utf8x.Validator
	msg    []byte // leased, or lent by the reader: what has come of the message in hand
	ctl    []byte // leased: what has come of the control frame in hand
	lent   bool
	whole  bool // msg is a whole message that nobody has taken yet
	over   bool // the peer's close frame has come, and is answered by the program: nothing more is read

	stream   *messageReader // whose message is in hand
	streamed int64          // how much of the message in hand has been handed out that way

	inflate *inflater // with permessage-deflate
}

// event is what take has found.
type event uint8

const (
	nothing event = iota // more bytes are needed
	message              // of the type that messageType tells
	ping
	pong
	closing
)

// messageType returns the type of the message that was found last.
func (in *inbound) messageType() MessageType { return MessageType(in.seq.Opcode()) }

// take takes n bytes from the front of b, up to the first event, whose payload is p. p is a part of b, of dst, or of
// what inbound holds until release. A message goes to dst if it is in one frame and fits; until it is whole, or keepLent
// has been called, dst is lent. The error is a *ProtocolError or ErrTooBig, and final.
func (in *inbound) take(b, dst []byte) (e event, p []byte, n int, err error) {
	for {
		if !in.framed {
			size, err := in.header(b[n:], true)
			if size == 0 || err != nil {
				return nothing, nil, n, err
			}
			n += size
			if in.direct(len(b) - n) {
				end := n + int(in.left)
				p, err = in.single(b[n:end:end], dst)
				return message, p, end, err
			}
			in.borrow(dst)
		}
		size := int(min(in.left, int64(len(b)-n)))
		piece := b[n : n+size]
		n += size
		if in.opcode.IsControl() {
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

// header reads the header of the next frame; n is 0 if it is not whole. held says that its message will be gathered.
func (in *inbound) header(b []byte, held bool) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := in.seq.Next(h); err != nil {
		return 0, err
	}
	if !h.Opcode.IsControl() && h.Length > in.room(held) {
		return 0, ErrTooBig
	}
	in.opcode, in.fin, in.key, in.left, in.framed = h.Opcode, h.Fin, h.Key, h.Length, true
	return n, nil
}

// room returns how much payload the message in hand may still have. What is held must fit a slice, which an int of 32
// bits may not count; what is compressed is always held.
func (in *inbound) room(held bool) int64 {
	most, compressed := in.limit.Load(), in.seq.Compressed()
	switch {
	case most == 0:
		most = math.MaxInt64
	case compressed:
		most += min(most/1000+64, math.MaxInt64-most) // what does not compress becomes a little longer
	}
	room := most - int64(len(in.msg)) - in.streamed
	if held || compressed {
		room = min(room, int64(math.MaxInt-len(in.msg)))
	}
	return room
}

// direct reports whether the frame in hand, of which so many bytes are there, is a whole message that need not be
// gathered.
func (in *inbound) direct(there int) bool {
	return in.fin && in.left <= int64(there) && (in.opcode == wsframe.Text || in.opcode == wsframe.Binary) && !in.seq.Compressed()
}

// single unmasks a message of one frame, to dst if it fits there.
func (in *inbound) single(p, dst []byte) ([]byte, error) {
	in.framed = false
	to := p
	if len(p) <= len(dst) {
		to = dst[:len(p)]
	}
	if in.opcode != wsframe.Text {
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

// another reports whether b, which follows a message, begins with a whole frame.
func another(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	h, n, err := wsframe.Parse(b)
	return err != nil || n > 0 && h.Length <= int64(len(b)-n)
}
