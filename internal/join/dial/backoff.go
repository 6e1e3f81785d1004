package dial

import (
	"math/rand/v2"
	"time"
)

// Backoff says how long to wait before each attempt to connect again: First, and then each time twice as long, up to
// Longest, less a random part of up to a half, so that clients do not all return at once. A connection that does not last
// is no reason to begin again with First: a server that ends every connection at once would be dialled at that pace.
type Backoff struct {
	First   time.Duration
	Longest time.Duration // 0: no limit

	wait time.Duration // the next one; 0: First
}

// leastLonger is the wait after Later if there is no Longest.
const leastLonger = 5 * time.Second

// Next returns how long to wait now.
func (b *Backoff) Next() time.Duration {
	wait := max(b.wait, b.First, time.Millisecond)
	b.wait = b.limit(2 * wait)
	wait = b.limit(wait)
	return wait - rand.N(wait/2)
}

// limit bounds a wait.
func (b *Backoff) limit(wait time.Duration) time.Duration {
	if b.Longest > 0 {
		return min(wait, max(b.Longest, time.Millisecond))
	}
	return wait
}

// Lasted tells b that a connection has ended that lasted for d. If that is as long as Longest, or as the next wait if there
// is no Longest, the waits begin again with First. It reports whether they do.
func (b *Backoff) Lasted(d time.Duration) bool {
	lasts := b.Longest
	if lasts <= 0 {
		lasts = max(b.wait, b.First)
	}
	if d < lasts {
		return false
	}
	b.wait = 0
	return true
}

// Later makes the next wait the longest: the server has asked for that.
func (b *Backoff) Later() {
	if b.wait = b.Longest; b.wait <= 0 {
		b.wait = leastLonger
	}
}
