package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/h2conn"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Server serves HTTP on any number of listeners. All methods may be called concurrently.
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

	mu         sync.Mutex
	onShutdown []func() // guarded by mu

	requests counter
	refused  atomic.Int64
	panics   atomic.Int64
	warnedH2 sync.Once // that a listener negotiates what is not spoken
}

// NewServer returns a server that has not begun to listen.
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

// Serve accepts connections from l and serves them until l fails, or Shutdown or Close is called: then it returns
// ErrServerClosed. It never returns nil. It closes l.
func (s *Server) Serve(l net.Listener) error {
	if s.cfg.Handler == nil {
		l.Close()
		return errNoHandler
	}
	return serveError(s.engine.Serve(l, nil))
}

// serveError puts what the engine says into this package's words.
func serveError(err error) error {
	if errors.Is(err, netconn.ErrShutdown) {
		return ErrServerClosed
	}
	return err
}

// Shutdown stops accepting, closes idle connections, lets requests in hand finish, their answers saying "Connection:
// close", and waits for them until ctx ends. It returns nil, or ctx's error when connections were still busy.
// Connections that a handler took over are not waited for. The functions of RegisterOnShutdown are called when the
// listeners have been closed, each on a goroutine of its own.
func (s *Server) Shutdown(ctx context.Context) error {
	s.engine.StopAccepting()
	s.mu.Lock()
	for _, f := range s.onShutdown {
		go f()
	}
	s.mu.Unlock()
	if err := s.engine.Shutdown(ctx); err != nil {
		return err
	}
	return s.workers.wait(ctx)
}

// RegisterOnShutdown has f called when Shutdown is: to tell hijacked connections, which Shutdown does not know. f is not
// waited for.
func (s *Server) RegisterOnShutdown(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onShutdown = append(s.onShutdown, f)
}

// Close stops accepting and ends every connection at once. It does not wait for handlers.
func (s *Server) Close() error { return s.engine.Close() }

// CloseConnections ends the connections of this moment as Close does, and goes on listening: for tests of clients, and
// to have them all connect anew.
func (s *Server) CloseConnections() { s.engine.AbortAll() }
