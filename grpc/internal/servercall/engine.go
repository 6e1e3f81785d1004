// Package servercall serves calls of gRPC and its kin that HTTP exchanges carry.
//
//	Exchange ─► Engine: which protocol, which method ─► Call ─► handlers of generated code
//
// A Call is the context of its handler and its grpc.ServerTransportStream. What few handlers ask for, such as metadata,
// the peer and the channel of Done, is made when it is asked for.
package servercall

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"

	"github.com/shockwave-go/shockwave/grpc/internal/codec"
)

// Config is how an Engine serves. It is not changed after the first call.
type Config struct {
	MaxReceive   int                          // bytes of a received message
	MaxSend      int                          // bytes of a sent message
	Unary        grpc.UnaryServerInterceptor  // nil for none
	Stream       grpc.StreamServerInterceptor // nil for none
	Stats        []stats.Handler
	Tap          tap.ServerInHandle // nil for none
	Codec        *codec.Codec       // in place of the one that content-type names; nil for that
	Unknown      grpc.StreamHandler // for methods that are not registered; nil for none
	Logger       *slog.Logger       // for panics
	CountRunning bool               // count the calls that run, for Wait
}

// Engine serves the calls of the services that are registered. Calls may be served concurrently.
type Engine struct {
	Config
	Registry

	running    sync.WaitGroup // if CountRunning
	protoOnce  sync.Once
	protoCodec codec.Codec // of protobuf messages; set by protoOnce
}

// serve serves one exchange.
func (e *Engine) serve(x Exchange) {
	p, subtype := protocolOf(x.Field("content-type"))
	switch {
	case p == nil:
		x.AddField("Accept-Post", acceptPost)
		x.Fail(http.StatusUnsupportedMediaType, "grpc: the content-type is not one of a call")
		return
	case string(x.Method()) != http.MethodPost:
		x.AddField("Allow", http.MethodPost)
		x.Fail(http.StatusMethodNotAllowed, "grpc: calls are POST requests")
		return
	}
	if e.CountRunning {
		e.running.Add(1)
		defer e.running.Done()
	}
	method, err := e.find(x.Path())
	c := newCall(e, method, p, x)
	defer c.detach()
	if err == nil {
		err = c.begin(subtype)
	}
	if err == nil {
		err = c.handle()
	}
	c.end(err)
}

// handle calls the handler. A panic of it is the status Internal.
func (c *Call) handle() (err error) {
	defer func() {
		if v := recover(); v != nil {
			if v == http.ErrAbortHandler {
				panic(v)
			}
			c.engine.Logger.Error("grpc: panic in a handler", "method", c.method.full, "panic", v, "stack", string(debug.Stack()))
			err = status.Error(codes.Internal, "grpc: the handler panicked")
		}
	}()
	e, m := c.engine, c.method
	if e.Tap != nil {
		ctx, err := e.Tap(c.ctx, &tap.Info{FullMethodName: m.full, Header: c.request.metadata()})
		if err != nil {
			return err
		}
		c.ctx = ctx
	}
	c.statsBegin()
	if m.unary != nil {
		reply, err := m.unary(m.impl, c.ctx, c.receiveOnly, e.Unary)
		if err == nil {
			err = c.sendOnly(reply)
		}
		return err
	}
	c.startStream()
	if e.Stream != nil {
		return e.Stream(m.impl, &c.stream, m.info, m.handler)
	}
	return m.handler(m.impl, &c.stream)
}

// Wait waits until no call runs, if CountRunning is set.
func (e *Engine) Wait() { e.running.Wait() }
