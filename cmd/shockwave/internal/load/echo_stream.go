package load

import (
	"bytes"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// longestEcho is the largest length prefix that can be an echo. A larger one means that the input is not
// length-prefixed messages.
const longestEcho = 16 << 20

// streamEchoReader reads length-prefixed echoes and compares them with what was sent: over tcp and tls, and inside
// WebSocket's binary messages with prefixed framing. It belongs to the connection's goroutine.
type streamEchoReader struct {
	comparison
	in lenframe.Reader
}

func newStreamEcho(m *message) *streamEchoReader {
	e := &streamEchoReader{comparison: comparison{msg: m}}
	e.restart()
	return e
}

// restart implements replyReader.
func (e *streamEchoReader) restart() {
	*e = streamEchoReader{
		comparison: comparison{msg: e.msg},
		in:         lenframe.Reader{MaxMessage: uint32(max(longestEcho, len(e.msg.payloads[0])))},
	}
}

// midMessage implements replyReader.
func (e *streamEchoReader) midMessage() bool { return !e.in.Between() }

// read implements replyReader.
func (e *streamEchoReader) read(s *slot, b []byte, now int64) (taken int, err error) {
	if e.msg.oneWay {
		return len(b), nil
	}
	n, err := e.take(s, b, now)
	if err != nil {
		s.cause = badInput
		return n, netconn.ErrAbort
	}
	return n, nil
}

// take consumes all of b, unless it returns an error.
func (e *streamEchoReader) take(s *slot, b []byte, now int64) (taken int, err error) {
	for taken < len(b) {
		if e.msg.frames != nil && s.flight.total > 0 && e.in.Between() && bytes.HasPrefix(b[taken:], e.msg.frames[e.turn]) {
			taken += len(e.msg.frames[e.turn])
			s.settle(now, nil)
			e.next()
			continue
		}
		event, p, n, err := e.in.Next(b[taken:])
		taken += n
		switch {
		case err != nil:
			return taken, err
		case event == lenframe.Nothing:
			return taken, nil
		case s.flight.total == 0:
			return taken, errUnasked
		}
		e.piece(p)
		if event == lenframe.Message || event == lenframe.End {
			e.settle(s, now)
		}
	}
	return taken, nil
}
