package lenframe

import (
	"encoding/binary"
	"io"
)

// Event is what a Reader has found.
type Event uint8

// The events. A message is one Message, or a Begin, any number of Pieces and an End.
const (
	Nothing Event = iota // all has been taken, and more is needed
	Message              // a whole message
	Begin                // a message begins whose end is not there; its first bytes, if any have come
	Piece                // its next bytes, at least one
	End                  // its last bytes, at least one
)

// String returns the name of the event.
func (e Event) String() string {
	return [...]string{"nothing", "message", "begin", "piece", "end"}[e]
}

// Reader reads a stream of messages. It holds nothing of it but the part of a header that has come, so what it is fed
// need not be kept:
//
//	        ┌─ Message                          Message
//	        ▼  │        ┌──────────────────────────────────────┐
//	start ► between ◄───┘          1 to 3 bytes                │
//	        ▲  │    └──────────────────────────────────► in a header
//	    End │  │ Begin                                         │
//	        │  ▼                                         Begin │
//	     in a message ◄────────────────────────────────────────┘
//	        ▲  │
//	        └──┘ Piece
//
// A header that announces more than MaxMessage is the end: the Reader returns the same error from then on. A Reader
// belongs to one goroutine at a time. The zero Reader takes messages of any length.
type Reader struct {
	// MaxMessage is the number of bytes that a message may have; 0 allows any length. It may be changed between two calls,
	// and holds for the headers that are read from then on.
	MaxMessage uint32

	state  state
	header uint32 // its bytes that have come
	length uint32 // of the message in hand
	left   uint32 // how much of that is to come
	err    *Error
}

// state says where in the stream a Reader is. Below inMessage it is the number of bytes of a header that have come.
type state uint8

const (
	between   state = 0
	inMessage state = HeaderSize
	refused   state = HeaderSize + 1
)

// Next takes n bytes from the front of b, up to the first event, and returns the payload p that belongs to it, which is a
// part of b and may not be appended to in place. Nothing means that all of b is taken. The error is an *Error and final:
// nothing is taken, and nobody knows what the rest of the stream means.
func (r *Reader) Next(b []byte) (e Event, p []byte, n int, err error) {
	// Small messages lie whole in b as a rule, many at a time.
	if r.state == between && len(b) >= HeaderSize {
		length := binary.BigEndian.Uint32(b)
		if uint64(length) <= uint64(len(b)-HeaderSize) && (length <= r.MaxMessage || r.MaxMessage == 0) {
			n = HeaderSize + int(length)
			return Message, b[HeaderSize:n:n], n, nil
		}
	}
	return r.nextSlow(b)
}

// nextSlow is Next for any b.
func (r *Reader) nextSlow(b []byte) (e Event, p []byte, n int, err error) {
	if r.state < inMessage {
		for r.state < inMessage {
			if n == len(b) {
				return Nothing, nil, n, nil
			}
			r.header = r.header<<8 | uint32(b[n])
			r.state++
			n++
		}
		if r.header > r.MaxMessage && r.MaxMessage != 0 {
			r.state, r.err = refused, refuse(r.header, r.MaxMessage)
		}
		r.length, r.left, r.header = r.header, r.header, 0
		if r.state == inMessage {
			return r.begin(b, n)
		}
	}
	switch {
	case r.state == refused:
		return Nothing, nil, 0, r.err
	case len(b) == 0:
		return Nothing, nil, 0, nil
	}
	p, done := r.payload(b)
	if done {
		return End, p, len(p), nil
	}
	return Piece, p, len(p), nil
}

// begin takes what b has of the message whose header ends at n.
func (r *Reader) begin(b []byte, n int) (Event, []byte, int, error) {
	p, whole := r.payload(b[n:])
	if whole {
		return Message, p, n + len(p), nil
	}
	return Begin, p, n + len(p), nil
}

// payload returns what b has of the message in hand, and whether that is the rest of it.
func (r *Reader) payload(b []byte) (p []byte, done bool) {
	if uint64(r.left) <= uint64(len(b)) {
		p, r.left, r.state = b[:r.left:r.left], 0, between
		return p, true
	}
	r.left -= uint32(len(b))
	return b[:len(b):len(b)], false
}

// Between reports whether the stream is between two messages: nothing of the next one has come.
func (r *Reader) Between() bool { return r.state == between }

// Length returns the number of bytes of the message that began last with a Begin. The peer announced it; memory should
// follow what has come.
func (r *Reader) Length() uint32 { return r.length }

// Left returns how many bytes of that message are still to come.
func (r *Reader) Left() uint32 { return r.left }

// Ended says what it means that the stream ends here: io.EOF between two messages, io.ErrUnexpectedEOF inside a header or
// a message, and the *Error that has ended it before.
func (r *Reader) Ended() error {
	switch r.state {
	case between:
		return io.EOF
	case refused:
		return r.err
	}
	return io.ErrUnexpectedEOF
}
