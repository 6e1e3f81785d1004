package servercall

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
)

// Call is one call: the context of its handler, and its grpc.ServerTransportStream. Handlers may keep it. After the call
// its context has ended, and what sends or receives fails.
type Call struct {
	engine *Engine
	method *Method
	codec  codec.Codec
	parent context.Context // has further values; nil for none
	ctx    context.Context // of the handler: the Call, or what was made from it
	stream serverStream    // of a method that streams

	request  request
	in       input
	response response
	ending   ending
	told     told
}

// newCall returns the call that x carries.
func newCall(e *Engine, m *Method, p protocol, x Exchange) *Call {
	c := &Call{engine: e, method: m, parent: x.Parent()}
	c.ctx = c
	if !keysKnown {
		defer func() { c.ctx = c.withValues() }()
	}
	c.stream.c = c
	c.in.x, c.response.x, c.ending.x = x, x, x
	c.request.read(x, p)
	if conn, ok := x.ConnValue().(*Conn); ok {
		c.parent, c.request.auth = conn.Values, conn.AuthInfo()
	}
	if d := c.request.timeout; d >= 0 {
		c.ending.deadline = time.Now().Add(d)
	}
	return c
}

// begin prepares the call for its handler. An error is the status of the call.
func (c *Call) begin(subtype string) error {
	if c.engine.Codec != nil {
		c.codec = *c.engine.Codec
	}
	if err := c.request.protocol.begin(c, subtype); err != nil {
		return err
	}
	if !c.ending.deadline.IsZero() {
		c.in.x.SetReadDeadline(c.ending.deadline) // an error says that reads have no deadlines: then the client's reset ends them
	}
	return nil
}

// startStream prepares the exchange for a method that streams.
func (c *Call) startStream() { c.in.x.Stream() }

// end ends the call with the status of err: what the handler returned, or why it was not called.
func (c *Call) end(err error) {
	c.in.close()
	c.response.finish(c, statusOf(err))
	c.statsEnd(err)
}

// detach ends the context. The exchange is not used after it.
func (c *Call) detach() {
	c.in.close()
	c.response.close()
	c.ending.over()
}

// statusOf returns the status that a handler's error stands for, nil for none.
func statusOf(err error) *status.Status {
	if err == nil {
		return nil
	}
	if st, ok := status.FromError(err); ok {
		return st
	}
	return status.FromContextError(err)
}

// Method implements grpc.ServerTransportStream.
func (c *Call) Method() string { return c.method.full }

// SetHeader implements grpc.ServerTransportStream.
func (c *Call) SetHeader(md metadata.MD) error { return c.response.setHeader(md) }

// SendHeader implements grpc.ServerTransportStream.
func (c *Call) SendHeader(md metadata.MD) error { return c.response.sendHeader(c, md) }

// SetTrailer implements grpc.ServerTransportStream.
func (c *Call) SetTrailer(md metadata.MD) error { return c.response.setTrailer(md) }

// serverStream is the grpc.ServerStream of a call. One goroutine may send while another receives.
type serverStream struct{ c *Call }

var _ grpc.ServerStream = (*serverStream)(nil)

func (s *serverStream) Context() context.Context        { return s.c.ctx }
func (s *serverStream) SetHeader(md metadata.MD) error  { return s.c.SetHeader(md) }
func (s *serverStream) SendHeader(md metadata.MD) error { return s.c.SendHeader(md) }
func (s *serverStream) SetTrailer(md metadata.MD)       { s.c.SetTrailer(md) }
func (s *serverStream) SendMsg(v any) error             { return s.c.send(v) }
func (s *serverStream) RecvMsg(v any) error             { return s.c.receive(v) }
