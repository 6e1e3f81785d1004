package client

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/defaults"
)

// Retry says which requests are sent again after a failure, or after a status that asks for it. A request is only sent
// again if that does no harm (its method is idempotent by RFC 9110 §9.2.2, Request.Idempotent is set, or it has a field
// Idempotency-Key) and if its body can be sent again. The zero value retries nothing. Independently of Retry, requests that
// the server has certainly not processed are sent again.
type Retry struct {
	// Max is how often a request is sent again. Default: never.
	Max int
	// Wait is the longest wait before the first retry. It doubles with each further one. The actual wait is random,
	// between half of it and all of it. Default 100 ms; negative means no wait.
	Wait time.Duration
	// MaxWait bounds these waits. If a response's Retry-After (RFC 9110 §10.2.3) asks for a longer wait, the response is
	// returned as it is; a shorter Retry-After is respected. Default 5 s; negative means no bound.
	MaxWait time.Duration
	// Statuses are the statuses that are retried. Default: 429, 502, 503 and 504.
	Statuses []int
	// Budget is how many retries are allowed per request, counted over all requests of the client, in addition to 10 that
	// are always allowed. It bounds the extra load on a service that is down. Default 0.1; negative means no bound.
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

// budget counts the retries that are allowed, in thousandths.
type budget struct {
	left       atomic.Int64
	perRequest int64 // added per request; negative means no bound
}

const (
	oneRetry  = 1000
	maxBudget = 10 * oneRetry
)

func (b *budget) init(p *Retry) {
	b.perRequest = int64(p.Budget * oneRetry)
	b.left.Store(maxBudget)
}

// addRequest adds the share of one request.
func (b *budget) addRequest() {
	if b.perRequest > 0 && b.left.Load() < maxBudget {
		b.left.Add(b.perRequest)
	}
}

// take reports whether a retry is allowed, and counts it.
func (b *budget) take() bool {
	if b.perRequest < 0 {
		return true
	}
	if b.left.Add(-oneRetry) >= 0 {
		return true
	}
	b.left.Add(oneRetry)
	return false
}
