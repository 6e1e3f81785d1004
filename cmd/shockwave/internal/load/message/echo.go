package message

import (
	"bytes"
	"errors"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// errUnasked is the error for a message when no echo is expected.
var errUnasked = errors.New("load: a message that nobody asked for")

// errTextInStream is the error for a text message where binary messages carry a byte stream.
var errTextInStream = errors.New("load: a text message in a stream of bytes")

// echoReader reads the echoes on one WebSocket connection and compares them with what was sent. For a message that
// arrives in one frame, as nearly all do, that is a single comparison.
type echoReader struct {
	comparison
	frames   frames
	stream   *streamReader // with prefixed framing: reads the byte stream in the payloads
	deflated deflated      // compares compressed messages
}

func newEchoReader(m *messages, known *known) *echoReader {
	e := &echoReader{
		comparison: comparison{msg: m}, frames: newFrames(m.spec.Deflate), deflated: deflated{msg: m, known: known},
	}
	if m.prefixed {
		e.stream = newStreamReader(m)
	}
	return e
}

// Read implements pipeline.Reader.
func (e *echoReader) Read(c *pipeline.Conn, b []byte, now int64) (taken int, err error) {
	for taken < len(b) {
		if n := e.match(c, b[taken:]); n > 0 {
			taken += n
			c.Settle(now, nil)
			e.next()
			continue
		}
		p, n, err := e.frames.next(b[taken:])
		if n == 0 && err == nil {
			break // incomplete header
		}
		taken += n
		if err == nil {
			err = e.take(c, p, now)
		}
		switch {
		case err == netconn.ErrDone:
			return len(b), err
		case err != nil:
			return taken, err
		}
	}
	if taken < len(b) || e.midMessage() {
		c.Begin(now)
	}
	return taken, nil
}

// End implements pipeline.Reader.
func (e *echoReader) End(*pipeline.Conn, error, int64) error { return nil }

// midMessage reports whether a message has begun and is not complete.
func (e *echoReader) midMessage() bool {
	return e.frames.midMessage() || e.stream != nil && e.stream.midMessage()
}

// next prepares for the next message.
func (e *echoReader) next() {
	e.comparison.next()
	e.deflated.next()
}

// match returns the length of the frame at the front of b if it is exactly the expected one, else 0.
func (e *echoReader) match(c *pipeline.Conn, b []byte) int {
	if e.frames.open || e.frames.seq.Open() || c.InFlight() == 0 || e.msg.frames == nil || e.msg.prefixed {
		return 0
	}
	if want := e.msg.frames[e.turn]; !e.msg.spec.Takeover && bytes.HasPrefix(b, want) {
		return len(want)
	}
	if want := e.deflated.frame(e.turn); len(want) > 0 && bytes.HasPrefix(b, want) {
		return len(want)
	}
	return 0
}

// take handles a piece of a frame.
func (e *echoReader) take(c *pipeline.Conn, p piece, now int64) (err error) {
	if e.frames.opcode.IsControl() {
		if p.last {
			return e.frames.respond(c.Net())
		}
		return nil
	}
	if p.first {
		if err := e.begin(c); err != nil {
			return err
		}
	}
	if e.stream != nil {
		_, err := e.stream.take(c, p.payload, now)
		return err
	}
	e.compare(p.payload)
	if p.last && e.frames.fin {
		return e.settle(c, now)
	}
	return nil
}

// begin handles the header of a frame with a part of a message.
func (e *echoReader) begin(c *pipeline.Conn) error {
	other := e.frames.seq.Opcode() != e.msg.opcode
	switch {
	case e.stream != nil && other:
		return errTextInStream
	case e.stream != nil:
	case c.InFlight() == 0:
		return errUnasked
	default:
		e.differs = e.differs || other
	}
	return nil
}

// compare compares a piece of payload with what was sent. A piece of a compressed message is kept until the message is
// complete.
func (e *echoReader) compare(payload []byte) {
	if e.frames.seq.Compressed() {
		e.length += len(payload)
		e.deflated.keep(payload, e.length, e.turn)
		return
	}
	e.piece(payload)
}

// settle counts a complete message. It returns pipeline.ErrLost if further ones cannot be decompressed.
func (e *echoReader) settle(c *pipeline.Conn, now int64) (err error) {
	if e.frames.seq.Compressed() {
		var right bool
		e.length, right, err = e.deflated.compare(e.turn, e.frames.opcode)
		e.differs = e.differs || !right
	} else {
		e.deflated.passed(e.turn)
	}
	e.comparison.settle(c, now)
	e.deflated.next()
	return err
}
