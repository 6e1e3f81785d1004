package load

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// echoReader reads the echoes on one WebSocket connection and compares them with what was sent. For a message that
// arrives in one frame, as nearly all do, that is a single comparison. It belongs to the connection's goroutine.
type echoReader struct {
	comparison
	seq    wsframe.Sequence
	stream *streamEchoReader // with prefixed framing: reads the byte stream in the payloads

	framed  bool // a frame's header has been read, and its payload is not complete
	opcode  wsframe.Opcode
	fin     bool
	left    int64  // remaining bytes of the frame
	control []byte // payload of a control frame so far

	compressed []byte // compressed message so far
	window     []byte // with takeover: the server's compression window if it is not what was sent; else nil
}

func newEcho(m *message) *echoReader {
	e := &echoReader{comparison: comparison{msg: m}, control: make([]byte, 0, wsframe.MaxControlPayload)}
	if m.prefixed {
		e.stream = newStreamEcho(m)
	}
	e.restart()
	return e
}

// restart implements replyReader.
func (e *echoReader) restart() {
	if e.stream != nil {
		e.stream.restart()
	}
	extensions := wsframe.RSV(0)
	if e.msg.deflate {
		extensions = wsframe.RSV1
	}
	*e = echoReader{
		comparison: comparison{msg: e.msg}, seq: wsframe.Incoming(wsframe.Client, extensions), stream: e.stream,
		control: e.control[:0], compressed: e.compressed[:0],
	}
}

// read implements replyReader.
func (e *echoReader) read(s *slot, b []byte, now int64) (taken int, err error) {
	for taken < len(b) {
		if n := e.match(s, b[taken:]); n > 0 {
			taken += n
			s.settle(now, nil)
			e.next()
			continue
		}
		n, err := e.readFrame(s, b[taken:], now)
		taken += n
		switch {
		case err == netconn.ErrDone:
			return len(b), err
		case err == errLost:
			s.cause = windowLost
			return taken, netconn.ErrAbort
		case err != nil:
			s.cause = badInput
			return taken, netconn.ErrAbort
		case n == 0:
			return taken, nil // incomplete header
		}
	}
	return taken, nil
}

// midMessage implements replyReader.
func (e *echoReader) midMessage() bool {
	return e.seq.Open() || e.framed && !e.opcode.IsControl() || e.stream != nil && e.stream.midMessage()
}

// next prepares for the next message.
func (e *echoReader) next() {
	e.comparison.next()
	e.compressed = e.compressed[:0]
}

// match returns the length of the frame at the front of b if it is exactly the expected one, else 0.
func (e *echoReader) match(s *slot, b []byte) int {
	if e.framed || e.seq.Open() || s.flight.total == 0 || e.msg.frames == nil || e.msg.prefixed || e.msg.oneWay {
		return 0
	}
	if want := e.msg.frames[e.turn]; !e.msg.takeover && bytes.HasPrefix(b, want) {
		return len(want)
	}
	if !e.msg.deflate || e.window != nil {
		return 0
	}
	if want := s.shard.compressed[e.turn]; len(want) > 0 && bytes.HasPrefix(b, want) {
		return len(want)
	}
	return 0
}
