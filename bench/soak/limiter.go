package main

import (
	"context"
	"sync"
	"time"
)

// limiter limits the request rate of all clients together. Clients are served in the order of their calls of wait.
type limiter struct {
	each time.Duration // per request; 0: no limit
	mu   sync.Mutex
	next time.Time
}

func newLimiter(rate int) *limiter {
	if rate <= 0 {
		return new(limiter)
	}
	return &limiter{each: time.Second / time.Duration(rate)}
}

// wait waits until n requests may be sent, or until ctx is done.
func (p *limiter) wait(ctx context.Context, n int) {
	p.mu.Lock()
	now := time.Now()
	at := p.next
	if at.Before(now) {
		at = now
	}
	p.next = at.Add(time.Duration(n) * p.each)
	p.mu.Unlock()
	pause(ctx, at.Sub(now))
}

// pause waits for d, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
