package lenframe

import (
	"encoding/binary"
	"io"
)

// Event is what Reader.Next has found.
type Event uint8

// The events. A message is reported as one Message, or as Begin, any number of Pieces, and End.
const (
	Nothing Event = iota // all input was consumed and more is needed
	Message              // a whole message
	Begin                // the first bytes of a message that is not complete; there may be none
	Piece                // its next bytes, at least one
	End                  // its last bytes, at least one
)

// String returns the name of the event.
func (e Event) String() string {
	return [...]string{"nothing", "message", "begin", "piece", "end"}[e]
}

// Reader reads a stream of messages. It keeps no input, only the state and the bytes of an incomplete header:
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
// A header that announces more than MaxMessage ends the stream: the Reader returns the same error from then on. A Reader may
// be used by one goroutine at a time. The zero Reader accepts messages of any length.
type Reader struct {
	// MaxMessage is the maximum message size; 0 allows any. It may be changed between calls and applies to the headers that
	// are read from then on.
	MaxMessage uint32

	state  state
	header uint32 // its bytes that have come, as a number
	length uint32 // of the current message
	left   uint32 // how many of its bytes are to come
	err    *Error
}

// state is where in the stream a Reader is. Values below inMessage count the bytes of the header that have come.
type state uint8

const (
	between   state = 0
	inMessage state = HeaderSize
	refused   state = HeaderSize + 1
)

// Next consumes n bytes from the front of b, up to the first event. p is the payload of that event; it is a part of b with
// no spare capacity. Nothing means that all of b was consumed. The error is an *Error and final: nothing is consumed,
// because the rest of the stream cannot be interpreted.
func (r *Reader) Next(b []byte) (e Event, p []byte, n int, err error) {
	// Fast path: small messages usually lie whole in b, many at a time.
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

// begin starts a message whose header ends at n. It takes the part of the payload that b has.
func (r *Reader) begin(b []byte, n int) (Event, []byte, int, error) {
	p, whole := r.payload(b[n:])
	if whole {
		return Message, p, n + len(p), nil
	}
	return Begin, p, n + len(p), nil
}

// payload returns the part of the current message that b has, and whether that completes it.
func (r *Reader) payload(b []byte) (p []byte, done bool) {
	if uint64(r.left) <= uint64(len(b)) {
		p, r.left, r.state = b[:r.left:r.left], 0, between
		return p, true
	}
	r.left -= uint32(len(b))
	return b[:len(b):len(b)], false
}

// Between reports whether the stream is between two messages: no byte of the next one was received.
func (r *Reader) Between() bool { return r.state == between }

// Length returns the length of the message that the last Begin started. The peer announced it, so memory should grow with the
// bytes received instead.
func (r *Reader) Length() uint32 { return r.length }

// Left returns how many bytes of the current message are still to come.
func (r *Reader) Left() uint32 { return r.left }

// Ended returns the error for a stream that ends here: io.EOF between two messages, io.ErrUnexpectedEOF inside a header or a
// message, and the *Error after Next has returned one.
func (r *Reader) Ended() error {
	switch r.state {
	case between:
		return io.EOF
	case refused:
		return r.err
	}
	return io.ErrUnexpectedEOF
}
