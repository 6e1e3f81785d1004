package client

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/defaults"
)

// Retry says when requests are sent again that have failed, or were answered with a status that asks for that. Only those
// are that can be sent twice without harm: with the methods of RFC 9110 §9.2.2, Request.Idempotent, or a field
// Idempotency-Key; and whose body can be had again. The zero value has none sent again. Requests that the server has
// certainly not worked on are sent again in any case.
type Retry struct {
	// Max is how often a request is sent again. Default: never.
	Max int
	// Wait is the longest wait before the first time; it doubles each time, and is between a half of it and all of it, by
	// chance. Default 100 ms; if it is negative there is none.
	Wait time.Duration
	// MaxWait is the longest of these waits. A response whose Retry-After (RFC 9110 §10.2.3) asks for a longer one is
	// returned as it is; a shorter one is kept. Default 5 s; negative is no bound.
	MaxWait time.Duration
	// Statuses are those that ask for that. Default: 429, 502, 503 and 504.
	Statuses []int
	// Budget is how many retries there may be for each request, over all requests of the client: beside 10 that there may
	// be at any time a service that is down is not loaded with more than that. Default 0.1; negative is no bound.
	Budget float64
}

var retryStatuses = []int{429, 502, 503, 504}

func (p Retry) withDefaults() Retry {
	defaults.Set(&p.Wait, 100*time.Millisecond)
	defaults.Set(&p.MaxWait, 5*time.Second)
	if p.Wait = max(p.Wait, 0); p.MaxWait < 0 {
		p.MaxWait = math.MaxInt64
	}
	defaults.Set(&p.Budget, 0.1)
	if p.Statuses == nil {
		p.Statuses = slices.Clone(retryStatuses)
	}
	return p
}

// budget is the account of retries, in thousandths of one.
type budget struct {
	left atomic.Int64
	gain int64 // for a request; negative is no bound
}

const (
	oneRetry   = 1000
	mostBudget = 10 * oneRetry
)

func (b *budget) init(p *Retry) {
	b.gain = int64(p.Budget * oneRetry)
	b.left.Store(mostBudget)
}

// request notes a request.
func (b *budget) request() {
	if b.gain > 0 && b.left.Load() < mostBudget {
		b.left.Add(b.gain)
	}
}

// take reports whether there may be a retry.
func (b *budget) take() bool {
	if b.gain < 0 {
		return true
	}
	if b.left.Add(-oneRetry) >= 0 {
		return true
	}
	b.left.Add(oneRetry)
	return false
}
