package server

// Stats is a snapshot of a server's counters. They only grow, except OpenConnections, ActiveConnections and
// ParkedConnections, which are current numbers.
type Stats struct {
	Connections       int64 // accepted so far
	OpenConnections   int64 // open now
	ActiveConnections int64 // with a goroutine now
	ParkedConnections int64 // idle, without a goroutine or buffer now
	Requests          int64 // requests whose head was read completely
	BytesIn           int64 // received by the transport; cipher text with TLS
	BytesOut          int64 // sent by the transport; cipher text with TLS
	BadRequests       int64 // requests, and connections without a request, that the server itself refused
	Timeouts          int64 // connections closed because the peer was too slow
	Panics            int64 // handlers that panicked or called runtime.Goexit
	AcceptErrors      int64
}

// Stats returns the current counters.
func (s *Server) Stats() Stats {
	n := s.engine.Stats()
	s.carriers.AddStats(&n)
	return Stats{
		Connections:       n.Accepted,
		OpenConnections:   n.Open,
		ActiveConnections: n.Active,
		ParkedConnections: n.Parked,
		Requests:          s.shared.requests.sum(),
		BytesIn:           n.BytesIn,
		BytesOut:          n.BytesOut,
		BadRequests:       s.shared.refused.Load(),
		Timeouts:          n.Slow,
		Panics:            s.shared.panics.Load() + n.Panics,
		AcceptErrors:      n.AcceptErrors,
	}
}
