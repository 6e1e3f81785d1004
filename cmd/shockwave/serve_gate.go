package main

import (
	"sync"
	"time"
)

// gate lets so many through in each second of the clock. All methods may be called concurrently.
type gate struct {
	most int

	mu     sync.Mutex
	second int64
	passed int // in that second
}

// admit reports whether one more may pass at now.
func (g *gate) admit(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := now.Unix(); s != g.second {
		g.second, g.passed = s, 0
	}
	if g.passed >= g.most {
		return false
	}
	g.passed++
	return true
}
