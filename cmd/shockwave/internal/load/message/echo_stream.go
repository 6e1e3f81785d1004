package message

import (
	"bytes"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
)

// longestEcho is the largest length prefix that can be an echo. A larger one means that the input is not
// length-prefixed messages.
const longestEcho = 16 << 20

// streamReader reads length-prefixed echoes and compares them with what was sent: over tcp and tls, and inside
// WebSocket's binary messages with prefixed framing.
type streamReader struct {
	comparison
	in lenframe.Reader
}

func newStreamReader(m *messages) *streamReader {
	return &streamReader{
		comparison: comparison{msg: m},
		in:         lenframe.Reader{MaxMessage: uint32(max(longestEcho, len(m.payloads[0])))},
	}
}

// midMessage reports whether a message has begun and is not complete.
func (r *streamReader) midMessage() bool { return !r.in.Between() }

// Read implements pipeline.Reader.
func (r *streamReader) Read(c *pipeline.Conn, b []byte, now int64) (taken int, err error) {
	if taken, err = r.take(c, b, now); err == nil && r.midMessage() {
		c.Begin(now)
	}
	return taken, err
}

// End implements pipeline.Reader.
func (r *streamReader) End(*pipeline.Conn, error, int64) error { return nil }

// take consumes all of b, unless it returns an error.
func (r *streamReader) take(c *pipeline.Conn, b []byte, now int64) (taken int, err error) {
	for taken < len(b) {
		if r.matches(c, b[taken:]) {
			taken += len(r.msg.frames[r.turn])
			c.Settle(now, nil)
			r.next()
			continue
		}
		event, p, n, err := r.in.Next(b[taken:])
		taken += n
		switch {
		case err != nil:
			return taken, err
		case event == lenframe.Nothing:
			return taken, nil
		case c.InFlight() == 0:
			return taken, errUnasked
		}
		r.piece(p)
		if event == lenframe.Message || event == lenframe.End {
			r.settle(c, now)
		}
	}
	return taken, nil
}

// matches reports whether b begins with exactly the expected message.
func (r *streamReader) matches(c *pipeline.Conn, b []byte) bool {
	return r.msg.frames != nil && c.InFlight() > 0 && r.in.Between() && bytes.HasPrefix(b, r.msg.frames[r.turn])
}
