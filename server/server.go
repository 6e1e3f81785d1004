package server

import (
	"cmp"
	"context"
	"errors"
	"net"
	"sync"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/server/internal/carriers"
	"github.com/shockwave-go/shockwave/server/internal/workers"
)

// Server serves HTTP on any number of listeners. Its methods are safe for concurrent use.
type Server struct {
	shared   *service
	engine   *netconn.Engine
	h1       h1Server
	h2       h2Server
	workers  workers.Pool
	carriers carriers.List

	mu         sync.Mutex
	onShutdown []func()  // guarded by mu
	warnedH2   sync.Once // guards the warning about a listener that negotiates HTTP/2 itself
}

// NewServer returns a server with the settings cfg. It does not listen yet.
func NewServer(cfg Config) *Server {
	s := &Server{shared: newService(cfg)}
	s.h2.init(s.shared, &s.workers)
	s.h1.init(s.shared, &s.h2)
	engine := s.shared.cfg.engine()
	engine.New = s.newConn
	engine.OnHandshakeError = s.shared.handshakeFailed
	s.engine = netconn.New(engine)
	return s
}

// Serve accepts connections from l and serves them. It returns when l fails, or with ErrServerClosed after Shutdown or
// Close. The error is never nil. Serve closes l.
func (s *Server) Serve(l net.Listener) error {
	if s.shared.cfg.Handler == nil {
		l.Close()
		return errNoHandler
	}
	return serveError(s.engine.Serve(l, nil))
}

// serveError converts an error of the engine into an error of this package.
func serveError(err error) error {
	if errors.Is(err, netconn.ErrShutdown) {
		return ErrServerClosed
	}
	return err
}

// Shutdown stops accepting, closes idle connections and waits until the requests in progress have their responses, or
// until ctx is done. The responses to those requests say "Connection: close". It returns nil, or ctx's error if
// connections were still busy. It does not wait for connections, and streams of HTTP/2 and HTTP/3, that a handler has taken over: they
// go on. Once the listeners are closed it calls each function of RegisterOnShutdown on a goroutine of its own.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopAccepting()
	s.mu.Lock()
	for _, f := range s.onShutdown {
		go f()
	}
	s.mu.Unlock()
	carried := s.carriers.Shutdown(ctx)
	if err := cmp.Or(s.engine.Shutdown(ctx), carried()); err != nil {
		return err
	}
	return s.workers.Wait(ctx)
}

// RegisterOnShutdown makes Shutdown call f, for example to notify hijacked connections, which Shutdown does not know
// about. Shutdown does not wait for f.
func (s *Server) RegisterOnShutdown(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onShutdown = append(s.onShutdown, f)
}

// Close stops accepting and closes every connection at once. It does not wait for handlers.
func (s *Server) Close() error {
	s.stopAccepting()
	s.CloseConnections()
	return nil
}

// CloseConnections closes all current connections as Close does, but keeps listening. It is useful in tests of clients,
// and to make all clients reconnect.
func (s *Server) CloseConnections() {
	s.engine.AbortAll()
	for _, c := range s.carriers.All() {
		c.CloseConnections()
	}
}

// stopAccepting is the first step of Shutdown and Close.
func (s *Server) stopAccepting() {
	s.engine.StopAccepting()
	for _, c := range s.carriers.Close() {
		c.StopAccepting()
	}
}
