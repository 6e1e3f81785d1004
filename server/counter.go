package server

import "sync/atomic"

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
