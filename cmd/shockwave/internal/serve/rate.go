package serve

import (
	"sync"
	"time"
)

// rateLimiter allows up to limit events in each second of the clock. All methods may be called concurrently.
type rateLimiter struct {
	limit int

	mu     sync.Mutex
	second int64
	count  int // events in that second
}

// admit reports whether another event is allowed at now, and counts it.
func (g *rateLimiter) admit(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := now.Unix(); s != g.second {
		g.second, g.count = s, 0
	}
	if g.count >= g.limit {
		return false
	}
	g.count++
	return true
}
