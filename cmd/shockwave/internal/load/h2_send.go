package load

import "github.com/shockwave-go/shockwave/http2"

// bodyChunk is how many bytes of a body are sent before another body gets its turn.
const bodyChunk = 16 << 10

// AppendOutput implements netconn.Source: it sends as many requests as the schedule, the pipeline depth and the server
// allow, and as much of their bodies as the flow control windows allow.
func (t *streams) AppendOutput(dst []byte, most int) (_ []byte, more bool) {
	s := t.slot
	s.shard.mu.Lock()
	defer s.shard.mu.Unlock()
	if t.over || s.shard.over {
		return dst, false
	}
	now := s.run.now()
	dst = t.wire.AppendPending(dst)
	for len(dst) < most {
		x := t.open(now)
		if x == nil {
			break
		}
		dst = t.appendHead(dst, x, now)
	}
	for len(dst) < most {
		w := t.wire.NextSender()
		if w == nil {
			return dst, false
		}
		dst = t.appendBody(dst, w.Owner.(*exchange), now)
	}
	return dst, true
}

// open opens a stream for the next request. It returns nil if none may be sent now.
func (t *streams) open(now int64) *exchange {
	if t.goingAway || t.free == nil || t.used >= int(t.wire.PeerSettings().MaxStreams) {
		return nil
	}
	g, turn, ok := t.slot.claimOne(now)
	if !ok {
		return nil
	}
	x := t.free
	stream, err := t.wire.Open(x)
	if err != nil {
		t.slot.unclaimOne(turn)
		if err == http2.ErrStreamIDs {
			t.goingAway = true // RFC 9113 §5.1.1: continue on another connection
		}
		return nil
	}
	t.free, t.used = x.next, t.used+1
	*x = exchange{stream: stream, due: g.due, sent: now, turn: turn}
	return x
}

// appendHead appends the head of a request, and its body if that is short.
func (t *streams) appendHead(dst []byte, x *exchange, now int64) []byte {
	req := t.slot.run.req
	x.rest = req.bodies[x.turn]
	dst = t.wire.AppendHeaders(dst, x.stream, req.fields[x.turn], len(x.rest) == 0)
	if len(x.rest) > 0 {
		t.wire.Ready(x.stream, now)
		if len(x.rest) <= bodyChunk {
			dst = t.appendBody(dst, x, now)
		}
	}
	return dst
}

// appendBody appends the next bodyChunk bytes of a body. The last ones end the stream.
func (t *streams) appendBody(dst []byte, x *exchange, now int64) []byte {
	p := x.rest[:min(len(x.rest), bodyChunk)]
	dst, n := t.wire.AppendData(dst, x.stream, p, len(p) == len(x.rest), now)
	x.rest = x.rest[n:]
	return dst
}
