// Package wsmessage puts WebSocket messages together from frames (RFC 6455 §5.4, §6.2), without I/O: it is passed the bytes
// that have arrived, and returns messages, parts of messages and control frames. It unmasks payload, checks text and bounds
// the length of messages. It does not decompress.
package wsmessage

import (
	"errors"
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
