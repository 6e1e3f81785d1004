package server

import "sync/atomic"

// Stats is a snapshot of a server's counters. They only grow, but for the three that say what is there now.
type Stats struct {
	Connections       int64 // accepted
	OpenConnections   int64 // now
	ActiveConnections int64 // now: those that have a goroutine
	ParkedConnections int64 // now: idle, without goroutine and buffer
	Requests          int64 // heads read whole
	BytesIn           int64 // of the transport; cipher text with TLS
	BytesOut          int64 // of the transport; cipher text with TLS
	BadRequests       int64 // answered 4xx or 5xx by the server itself
	Timeouts          int64 // connections whose peer was too slow
	Panics            int64 // handlers that panicked or called runtime.Goexit
	AcceptErrors      int64
}

// Stats returns the counters as they are now.
func (s *Server) Stats() Stats {
	n := s.engine.Stats()
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

// counterShards is how many counters share the work of counting requests: a power of two.
const counterShards = 16

// shard is a counter on a cache line of its own (128 bytes: adjacent lines are fetched in pairs).
type shard struct {
	atomic.Int64
	_ [120]byte
}

// counter is a counter that connections add to at the same time. Each connection has one of the shards, so that the
// line it writes to is seldom another core's.
type counter struct {
	shards [counterShards]shard
	next   atomic.Uint32
}

// shard returns the next connection's shard.
func (c *counter) shard() *atomic.Int64 {
	return &c.shards[c.next.Add(1)%counterShards].Int64
}

// sum adds the shards up.
func (c *counter) sum() (n int64) {
	for i := range c.shards {
		n += c.shards[i].Load()
	}
	return n
}
