// Package wsmessage puts WebSocket messages together from frames (RFC 6455 §5.4, §6.2), without I/O: it is passed the bytes
// that have arrived, and returns messages, parts of messages and control frames. It unmasks payload, checks text and bounds
// the length of messages. It does not decompress.
package wsmessage

import (
	"errors"
	"math"
	"sync/atomic"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// ErrTooBig means that a message is longer than the limit, or than a slice can be.
var ErrTooBig = errors.New("wsmessage: message longer than the limit")

// ErrText means that a text message is not UTF-8.
var ErrText = &wsframe.Error{Code: wsframe.CloseInvalidPayload, Violation: shockwave.Violation{Rule: "RFC 6455 §8.1", Msg: "text that is not UTF-8"}}

// Event is the result of Take and TakePart.
type Event uint8

// The events.
const (
	Nothing  Event = iota // more bytes are needed
	Message               // a message of the type that Opcode returns
	Ping                  // a ping with its payload
	Pong                  // a pong with its payload
	Close                 // a close frame with its payload
	Part                  // payload of the current message; of TakePart only
	LastPart              // the last payload of the current message, which may be empty; of TakePart only
)

// Assembler has the state of one direction of a connection:
//
//	between frames ──header──► in a frame ──payload──► between frames, perhaps with an event
//
// A message in one frame that has arrived completely is unmasked in place or into the reader's buffer. Any other message
// is gathered in a buffer, which is the reader's or grows with the bytes that have arrived, never with the length that a
// header announces.
//
// An Assembler belongs to the goroutine that reads; only SetLimit may be called by others. It must be set up with Init, and
// Drop releases its buffers.
type Assembler struct {
	seq      wsframe.Sequence
	limit    atomic.Int64 // maximum length of a message, 0 for none
	kind     wsframe.Kind // of the current frame
	framed   bool         // in a frame: a header has been read, and left bytes of its payload are to come
	lent     bool         // msg is the reader's buffer
	kept     bool         // msg is a whole message that has not been returned yet
	key      uint32       // for the next byte of payload
	left     int64
	text     utf8x.Validator
	msg      []byte // what has arrived of the current message; from the pool unless lent
	ctl      []byte // what has arrived of the current control frame; from the pool
	streamed int64  // how many bytes of the current message have been handed out in parts
}

// Init begins with the first frame that role reads. extensions has the reserved bits that are negotiated, limit is the
// maximum length of a message, 0 for none.
func (a *Assembler) Init(role wsframe.Role, extensions wsframe.RSV, limit int64) {
	a.seq = wsframe.Incoming(role, extensions)
	a.limit.Store(limit)
}

// SetLimit changes the limit of messages from the next frame on. It may be called concurrently.
func (a *Assembler) SetLimit(limit int64) { a.limit.Store(limit) }

// Limit returns the maximum length of a message, 0 for none.
func (a *Assembler) Limit() int64 { return a.limit.Load() }

// Opcode returns the type of the message found last, Text or Binary.
func (a *Assembler) Opcode() wsframe.Opcode { return a.seq.Opcode() }

// Compressed reports whether the message found last is compressed; its payload is then to be passed to SetContent.
func (a *Assembler) Compressed() bool { return a.seq.Compressed() }

// InFrame reports whether a header has been taken and not all of its frame's payload. The payload may be empty.
func (a *Assembler) InFrame() bool { return a.framed }

// Between reports whether no frame and no message has begun.
func (a *Assembler) Between() bool { return !a.framed && !a.seq.Open() }

// Begun reports whether a message has begun and more of it is to come.
func (a *Assembler) Begun() bool {
	return a.seq.Open() || a.framed && !a.kind.Opcode().IsControl()
}

// Held returns how many bytes of the current message are held.
func (a *Assembler) Held() int { return len(a.msg) }

// Take consumes n bytes from the front of b, up to the first event, and returns the event with its payload p. p is a
// slice of b, of dst, or of a buffer that is valid until Release. A message is put into dst if it is in one frame and
// fits. dst may be kept until the message is complete or KeepLent is called. The error is a *wsframe.Error or ErrTooBig,
// and final.
func (a *Assembler) Take(b, dst []byte) (e Event, p []byte, n int, err error) {
	for {
		if !a.framed {
			size, err := a.header(b[n:], true)
			if size == 0 || err != nil {
				return Nothing, nil, n, err
			}
			n += size
		}
		if a.msg == nil {
			if a.isWholeMessage(len(b) - n) {
				end := n + int(a.left)
				p, err = a.unmaskWhole(b[n:end:end], dst)
				return Message, p, end, err
			}
			a.lend(dst)
		}
		size := int(min(a.left, int64(len(b)-n)))
		piece := b[n : n+size]
		n += size
		if a.kind.Opcode().IsControl() {
			if e, p := a.control(piece); e != Nothing {
				return e, p, n, nil
			}
		} else if done, err := a.gather(piece); done || err != nil {
			return Message, a.msg, n, err
		}
		if a.framed || n == len(b) {
			return Nothing, nil, n, nil
		}
	}
}

// Begin takes the header of the next frame if b begins with a complete one, and nothing else; otherwise n is 0. Take does so
// by itself; Begin is for callers that look at the header first. It must not be called InFrame.
func (a *Assembler) Begin(b []byte) (n int, err error) { return a.header(b, true) }

// FrameOpcode returns the opcode of the frame that began last.
func (a *Assembler) FrameOpcode() wsframe.Opcode { return a.kind.Opcode() }

// header reads the header of the next frame; n is 0 if it is incomplete. held says that the message will be gathered.
func (a *Assembler) header(b []byte, held bool) (n int, err error) {
	h, n, err := wsframe.Parse(b)
	if n == 0 || err != nil {
		return 0, err
	}
	if err := a.seq.Next(h); err != nil {
		return 0, err
	}
	if !h.Opcode().IsControl() && h.Length > a.room(held) {
		return 0, ErrTooBig
	}
	a.kind, a.key, a.left, a.framed = h.Kind, h.Key, h.Length, true
	return n, nil
}

// room returns how much more payload the current message may have. A message that is held in memory must fit a slice,
// whose length an int of 32 bits limits; compressed messages are always held.
func (a *Assembler) room(held bool) int64 {
	most, compressed := a.limit.Load(), a.seq.Compressed()
	switch {
	case most == 0:
		most = math.MaxInt64
	case compressed:
		most += min(most/1000+64, math.MaxInt64-most) // incompressible data gets a little longer
	}
	room := most - int64(len(a.msg)) - a.streamed
	if held || compressed {
		room = min(room, int64(math.MaxInt-len(a.msg)))
	}
	return room
}

// FrameFollows reports whether b begins with a whole frame, or with one that is malformed.
func FrameFollows(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	h, n, err := wsframe.Parse(b)
	return err != nil || n > 0 && h.Length <= int64(len(b)-n)
}
