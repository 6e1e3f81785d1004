package wsmessage

import (
	"math"

	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

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
