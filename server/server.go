package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/h2conn"
)

// Server serves HTTP on any number of listeners. Its methods are safe for concurrent use.
type Server struct {
	cfg        Config
	behaviour  *behaviour
	log        *slog.Logger
	engine     *netconn.Engine
	preambles  preambles
	h1Messages sync.Pool // of *h1Message
	h2Streams  sync.Pool // of *h2Stream
	h2         *http2.Config
	h2Policy   h2conn.Policy
	workers    workers
	carriers   carriers
	altSvc     atomic.Pointer[string] // the field of that name in responses over TLS (RFC 7838 §3); nil: none

	mu         sync.Mutex
	onShutdown []func() // guarded by mu

	requests counter
	refused  atomic.Int64
	panics   atomic.Int64
	warnedH2 sync.Once // guards the warning about a listener that negotiates HTTP/2 itself
}

// NewServer returns a server with the settings cfg. It does not listen yet.
func NewServer(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), log: cfg.Logger}
	if s.log == nil {
		s.log = defaults.Logger()
	}
	s.behaviour = behaviourFor(&s.cfg)
	s.preambles.name = cfg.ServerName
	s.h2 = s.cfg.h2Config().Complete()
	s.h2Policy = h2conn.Policy{
		MinReadRate: s.cfg.MinReadRate, RateGrace: s.cfg.RateGrace, CountError: s.cfg.HTTP2.CountError,
	}
	s.h2Streams.New = func() any { return newH2Stream(s) }
	s.h1Messages.New = func() any { return newH1Message(s) }
	engine := s.cfg.engine()
	engine.New = s.newConn
	engine.OnHandshakeError = s.handshakeFailed
	s.engine = netconn.New(engine)
	return s
}

// Serve accepts connections from l and serves them. It returns when l fails, or with ErrServerClosed after Shutdown or
// Close. The error is never nil. Serve closes l.
func (s *Server) Serve(l net.Listener) error {
	if s.cfg.Handler == nil {
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

// Shutdown stops accepting, closes idle connections and waits until the requests in progress have been answered, or
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
	carried := s.carriers.shutdown(ctx)
	if err := cmp.Or(s.engine.Shutdown(ctx), carried()); err != nil {
		return err
	}
	return s.workers.wait(ctx)
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
	for _, c := range s.carriers.all() {
		c.CloseConnections()
	}
}
