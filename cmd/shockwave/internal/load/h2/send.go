package h2

import "github.com/shockwave-go/shockwave/http2"

// bodyChunk is how many bytes of a body are sent before another body gets its turn.
const bodyChunk = 16 << 10

// Nudge implements drive.Conn.
func (c *conn) Nudge(int64) { c.net.Draw(c) }

// AppendOutput implements netconn.Source: it sends as many requests as the schedule, the pipeline depth and the server
// allow, and as much of their bodies as the flow control windows allow.
func (c *conn) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	c.slot.Lock()
	defer c.slot.Unlock()
	if c.over || c.slot.Over() {
		return dst, false
	}
	now := c.slot.Now()
	dst = c.wire.AppendPending(dst)
	for len(dst) < most {
		x := c.open(now)
		if x == nil {
			break
		}
		dst = c.appendHead(dst, x, now)
	}
	for len(dst) < most {
		w := c.wire.NextSender()
		if w == nil {
			return dst, false
		}
		dst = c.appendBody(dst, w.Owner.(*exchange), now)
	}
	return dst, true
}

// open opens a stream for the next request. It returns nil if none may be sent now.
func (c *conn) open(now int64) *exchange {
	if c.goingAway || c.free == nil || c.used >= int(c.wire.PeerSettings().MaxStreams) {
		return nil
	}
	g, turn := c.slot.Claim(now, 1)
	if g.N == 0 {
		return nil
	}
	x := c.free
	stream, err := c.wire.Open(x)
	if err != nil {
		c.slot.GiveBack(1, turn)
		if err == http2.ErrStreamIDs {
			c.goingAway = true // RFC 9113 §5.1.1: continue on another connection
		}
		return nil
	}
	c.free, c.used = x.next, c.used+1
	*x = exchange{stream: stream, times: g, turn: turn}
	return x
}

// appendHead appends the head of a request, and its body if that is short.
func (c *conn) appendHead(dst []byte, x *exchange, now int64) []byte {
	x.rest = c.requests.body
	dst = c.wire.AppendHeaders(dst, x.stream, c.requests.sections[x.turn], len(x.rest) == 0)
	if len(x.rest) > 0 {
		c.wire.Ready(x.stream, now)
		if len(x.rest) <= bodyChunk {
			dst = c.appendBody(dst, x, now)
		}
	}
	return dst
}

// appendBody appends the next bodyChunk bytes of a body. The last ones end the stream.
func (c *conn) appendBody(dst []byte, x *exchange, now int64) []byte {
	p := x.rest[:min(len(x.rest), bodyChunk)]
	dst, n := c.wire.AppendData(dst, x.stream, p, len(p) == len(x.rest), now)
	x.rest = x.rest[n:]
	return dst
}
