package load

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/netconn"
	"github.com/shockwave-go/shockwave/internal/wsframe"
)

// echo reads what comes back over WebSocket on one connection, and holds it against what was sent. A message that comes
// whole in one frame, as it nearly always does, is one comparison. All of it is the connection's goroutine's.
type echo struct {
	comparison
	seq    wsframe.Sequence
	stream *streamEcho // with prefixed framing: what the payloads are

	framed  bool // a header has been read, and its frame has not ended
	opcode  wsframe.Opcode
	fin     bool
	left    int64  // bytes of the frame to come
	control []byte // what has come of a control frame

	squeezed []byte // what has come of a compressed message
	own      []byte // with takeover: the server's window, if it is not what was sent; else nil
}

func newEcho(m *message) *echo {
	e := &echo{comparison: comparison{msg: m}, control: make([]byte, 0, wsframe.MaxControlPayload)}
	if m.lengths {
		e.stream = newStreamEcho(m)
	}
	e.restart()
	return e
}

// restart implements replies.
func (e *echo) restart() {
	if e.stream != nil {
		e.stream.restart()
	}
	extensions := wsframe.RSV(0)
	if e.msg.deflate {
		extensions = wsframe.RSV1
	}
	*e = echo{
		comparison: comparison{msg: e.msg}, seq: wsframe.Incoming(wsframe.Client, extensions), stream: e.stream,
		control: e.control[:0], squeezed: e.squeezed[:0],
	}
}

// read implements replies.
func (e *echo) read(s *seat, b []byte, now int64) (taken int, err error) {
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
			s.cause = lost
			return taken, netconn.ErrAbort
		case err != nil:
			s.cause = nonsense
			return taken, netconn.ErrAbort
		case n == 0:
			return taken, nil // half a header
		}
	}
	return taken, nil
}

// amid implements replies.
func (e *echo) amid() bool {
	return e.seq.Open() || e.framed && !e.opcode.IsControl() || e.stream != nil && e.stream.amid()
}

// next makes ready for the next message.
func (e *echo) next() {
	e.comparison.next()
	e.squeezed = e.squeezed[:0]
}

// match returns the length of the frame at the front of b if that is the one that is wanted, else 0.
func (e *echo) match(s *seat, b []byte) int {
	if e.framed || e.seq.Open() || s.flight.total == 0 || e.msg.frames == nil || e.msg.lengths || e.msg.oneWay {
		return 0
	}
	if want := e.msg.frames[e.turn]; !e.msg.takeover && bytes.HasPrefix(b, want) {
		return len(want)
	}
	if !e.msg.deflate || e.own != nil {
		return 0
	}
	if want := s.shard.squeezed[e.turn]; len(want) > 0 && bytes.HasPrefix(b, want) {
		return len(want)
	}
	return 0
}
