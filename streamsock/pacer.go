package streamsock

import (
	"sync"
	"time"
)

// pacer is a rate limiter: it lets rate callers through per second, in order.
type pacer struct {
	rate int // 0: no limit
	mu   sync.Mutex
	next time.Time
}

// wait waits for the caller's turn. It reports false if quit is closed before.
func (p *pacer) wait(quit <-chan struct{}) bool {
	if p.rate <= 0 {
		return true
	}
	p.mu.Lock()
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	turn := p.next
	p.next = turn.Add(time.Second / time.Duration(p.rate))
	p.mu.Unlock()
	if turn == now {
		return true
	}
	t := time.NewTimer(turn.Sub(now))
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-quit:
		return false
	}
}
