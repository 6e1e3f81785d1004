package server

import "sync/atomic"

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
	s.carriers.addStats(&n)
	return Stats{
		Connections:       n.Accepted,
		OpenConnections:   n.Open,
		ActiveConnections: n.Active,
		ParkedConnections: n.Parked,
		Requests:          s.requests.sum(),
		BytesIn:           n.BytesIn,
		BytesOut:          n.BytesOut,
		BadRequests:       s.refused.Load(),
		Timeouts:          n.Slow,
		Panics:            s.panics.Load() + n.Panics,
		AcceptErrors:      n.AcceptErrors,
	}
}

// counterShards is the number of shards of a counter: a power of two.
const counterShards = 16

// shard is a counter with a cache line of its own (128 bytes, because adjacent lines are fetched in pairs).
type shard struct {
	atomic.Int64
	_ [120]byte
}

// counter is a counter that many connections add to at the same time. Each connection uses one of the shards, so that
// it seldom writes to a cache line that another core has just written.
type counter struct {
	shards [counterShards]shard
	next   atomic.Uint32
}

// shard returns the shard for a new connection.
func (c *counter) shard() *atomic.Int64 {
	return &c.shards[c.next.Add(1)%counterShards].Int64
}

// sum returns the sum of the shards.
func (c *counter) sum() (n int64) {
	for i := range c.shards {
		n += c.shards[i].Load()
	}
	return n
}
