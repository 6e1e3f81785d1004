package server

import (
	"github.com/shockwave-go/shockwave/internal/clock"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// NewServerOn is NewServer with a clock of the test's.
func NewServerOn(clk *clock.Clock, cfg Config) *Server {
	s := NewServer(cfg)
	engine := s.cfg.engine()
	engine.Clock, engine.New, engine.OnHandshakeError = clk, s.newConn, s.handshakeFailed
	s.engine = netconn.New(engine)
	return s
}

// Prohibited reports whether HTTP/2 is refused over TLS 1.2 with a cipher suite.
func Prohibited(suite uint16) bool { return prohibited(suite) }
