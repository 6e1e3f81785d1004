package grpc

import (
	"fmt"
	"net/http"
	"sync/atomic"

	"google.golang.org/grpc"

	"github.com/shockwave-go/shockwave/grpc/internal/servercall"
	"github.com/shockwave-go/shockwave/server"
)

// Server serves the gRPC services that are registered with it. It is a grpc.ServiceRegistrar, a handler of net/http, and
// by Native one of package server; Serve and ServeTLS serve it on a port of its own. Services are registered before the
// first call; everything else may be called concurrently.
//
// A handler that panics ends its call with the status Internal, and is logged.
type Server struct {
	engine servercall.Engine
	opts   serverOptions

	serving atomic.Bool // a call may have been served: nothing can be registered
	running servers     // that Serve and ServeTLS run
}

var _ grpc.ServiceRegistrar = (*Server)(nil)

// NewServer returns a Server without services.
func NewServer(opts ...ServerOption) *Server {
	s := &Server{opts: defaultServerOptions()}
	for _, o := range opts {
		o.apply(&s.opts)
	}
	s.engine.Config = s.opts.engineConfig()
	return s
}

// RegisterService implements grpc.ServiceRegistrar. It panics if a service of the name is registered, if impl does not
// implement the service, and after the Server has begun to serve.
func (s *Server) RegisterService(desc *grpc.ServiceDesc, impl any) {
	if s.serving.Load() {
		panic(fmt.Sprintf("grpc: service %s is registered after the server has begun to serve", desc.ServiceName))
	}
	s.engine.Register(desc, impl)
}

// GetServiceInfo returns the registered services by name, as package reflection and others ask for them.
func (s *Server) GetServiceInfo() map[string]grpc.ServiceInfo { return s.engine.Services() }

// Native returns a handler for package server: the fastest way to serve. Route the services' paths to it, or all paths: a
// request that is no call gets status 415.
//
// The limits of the server.Server apply, except that to the size of a body: MaxRecvMsgSize limits each message.
func (s *Server) Native() server.Handler {
	s.serving.Store(true)
	return server.HandlerFunc(s.engine.ServeNative)
}

// ServeHTTP implements http.Handler, for nethttp, http3 and net/http's own server. On HTTP/1 and HTTP/2 alike the
// ResponseWriter must be an http.Flusher, as those of servers are.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.serving.Load() {
		s.serving.Store(true)
	}
	s.engine.ServeHTTP(w, r)
}
