package main

import (
	"context"
	"sync"
	"time"
)

// pace keeps all clients together below a rate. The first that asks is the first that goes.
type pace struct {
	each time.Duration // per request; 0: no limit
	mu   sync.Mutex
	next time.Time
}

func newPace(rate int) *pace {
	if rate <= 0 {
		return new(pace)
	}
	return &pace{each: time.Second / time.Duration(rate)}
}

// wait returns when n requests may be sent, or ctx has ended.
func (p *pace) wait(ctx context.Context, n int) {
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

// pause returns after d, or when ctx has ended.
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
