package serve

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// statuses counts responses by their status. All methods may be called concurrently.
type statuses struct {
	ok     shardedCounter // status 200, by far the most frequent
	others [1000]atomic.Int64
}

// shardedCounter is a counter that is divided into shards. Each connection uses one of them, so few connections write
// to the same memory. All methods may be called concurrently.
type shardedCounter struct {
	shards [16]counterShard
	next   atomic.Uint32
}

// counterShard is a counter with padding, so that it has a cache line of its own.
type counterShard struct {
	atomic.Int64
	_ [120]byte
}

// shard returns a shard for a new connection.
func (s *shardedCounter) shard() *atomic.Int64 {
	return &s.shards[s.next.Add(1)%uint32(len(s.shards))].Int64
}

// sum returns the sum of all shards.
func (s *shardedCounter) sum() (n int64) {
	for i := range s.shards {
		n += s.shards[i].Load()
	}
	return n
}

// String lists all counts: "1,204 × 200, 3 × 404".
func (s *statuses) String() string {
	var parts []string
	for code := range s.others {
		n := s.others[code].Load()
		if code == 200 {
			n += s.ok.sum()
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s × %d", figures.Grouped(n), code))
		}
	}
	if parts == nil {
		return "none yet"
	}
	return strings.Join(parts, ", ")
}
