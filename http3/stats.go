package http3

import (
	"context"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Stats are counters of a Server's connections since it was created, and how many are open now. The host's Stats include them,
// except ForwardedPackets.
type Stats struct {
	Connections      int64 // accepted so far
	OpenConnections  int64 // open now
	BytesIn          int64 // received in packets of QUIC
	BytesOut         int64 // sent in packets of QUIC
	Timeouts         int64 // requests that ended because the client was too slow
	Panics           int64 // hooks for new connections that panicked
	ForwardedPackets int64 // packets of other processes' connections that have arrived here and were passed on to them: see SharedPort
}

// Stats returns the current counters. It may be called at any time.
func (s *Server) Stats() Stats {
	n := s.conns.Stats()
	return Stats{
		Connections: s.accepted.Load(), OpenConnections: n.Open, BytesIn: n.Received, BytesOut: n.Sent,
		Timeouts: n.Slow, Panics: n.Panics, ForwardedPackets: s.forwarded.Load(),
	}
}

// carried is the view that the host has of a Server. It implements carrier.Carrier.
type carried Server

// StopAccepting implements carrier.Carrier.
func (c *carried) StopAccepting() { (*Server)(c).stopAccepting() }

// Shutdown implements carrier.Carrier.
func (c *carried) Shutdown(ctx context.Context) error { return (*Server)(c).Shutdown(ctx) }

// CloseConnections implements carrier.Carrier.
func (c *carried) CloseConnections() { c.conns.Close() }

// Stats implements carrier.Carrier.
func (c *carried) Stats() netconn.Stats {
	n := (*Server)(c).Stats()
	return netconn.Stats{
		Accepted: n.Connections, Open: n.OpenConnections, Active: n.OpenConnections, BytesIn: n.BytesIn, BytesOut: n.BytesOut,
		Slow: n.Timeouts, Panics: n.Panics,
	}
}
