package servercall

import (
	"time"

	"google.golang.org/grpc/stats"

	"github.com/shockwave-go/shockwave/grpc/internal/frame"
)

// told is what handlers of package stats have been told of a call.
type told struct {
	began time.Time // zero if nothing
}

// statsBegin tells that the call begins. The handlers may extend its context.
func (c *Call) statsBegin() {
	handlers := c.engine.Stats
	if len(handlers) == 0 {
		return
	}
	c.told.began = time.Now()
	r := &c.request
	for _, h := range handlers {
		c.ctx = h.TagRPC(c.ctx, &stats.RPCTagInfo{FullMethodName: c.method.full})
	}
	client, server := c.method.streams()
	for _, h := range handlers {
		h.HandleRPC(c.ctx, &stats.InHeader{FullMethod: c.method.full, RemoteAddr: r.remote, LocalAddr: r.local,
			Compression: r.compressed, Header: r.metadata()})
		h.HandleRPC(c.ctx, &stats.Begin{BeginTime: c.told.began, IsClientStream: client, IsServerStream: server})
	}
}

func (c *Call) tell(s stats.RPCStats) {
	for _, h := range c.engine.Stats {
		h.HandleRPC(c.ctx, s)
	}
}

// isTold reports whether somebody is told of the call.
func (c *Call) isTold() bool { return !c.told.began.IsZero() }

// statsIn tells that v was received: plain bytes of encoding, as received of them on the wire.
func (c *Call) statsIn(v any, plain, received int) {
	if c.isTold() {
		c.tell(&stats.InPayload{Payload: v, Length: plain, CompressedLength: received, WireLength: received + frame.HeadSize, RecvTime: time.Now()})
	}
}

// statsOut tells that v was sent.
func (c *Call) statsOut(v any, s frame.Sizes) {
	if c.isTold() {
		c.tell(&stats.OutPayload{Payload: v, Length: s.Plain, CompressedLength: s.Sent, WireLength: s.Sent + frame.HeadSize, SentTime: time.Now()})
	}
}

// statsHeader tells that the head of the response was sent.
func (c *Call) statsHeader() {
	if c.isTold() {
		c.tell(&stats.OutHeader{Header: c.response.header.Copy(), Compression: c.response.compressed})
	}
}

// statsEnd tells that the call has ended with err.
func (c *Call) statsEnd(err error) {
	if !c.isTold() {
		return
	}
	c.tell(&stats.OutTrailer{Trailer: c.response.trailer.Copy()})
	c.tell(&stats.End{BeginTime: c.told.began, EndTime: time.Now(), Error: err})
}
