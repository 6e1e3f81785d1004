package streamsock

import (
	"sync"
	"time"
)

// The least rate at which a message must arrive once it has begun: leastRate bytes a second, checked every rateGrace. An
// incomplete message holds memory, and its receiver waits for the rest. Between messages a peer may be silent for
// Config.IdleTimeout.
const (
	leastRate = 240
	rateGrace = 10 * time.Second
)

// rateCheck measures the rate of a message that comes in pieces. The connection's goroutine updates it; alarms check it.
type rateCheck struct {
	mu    sync.Mutex
	began int64 // start of the current period; 0: no message is incomplete
	bytes int64 // received in this period
}

// received records that n bytes were received. between says whether the input ended between two messages. It reports true if
// a message has begun: then tooSlow must be called after rateGrace.
func (a *rateCheck) received(now int64, n int, between bool) (begins bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case between:
		a.began = 0
	case a.began == 0:
		a.began, a.bytes = now, 0
		return true
	default:
		a.bytes += int64(n)
	}
	return false
}

// pause excludes d nanoseconds, in which nothing was read, from the period.
func (a *rateCheck) pause(d int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.began != 0 {
		a.began += d
	}
}

// tooSlow reports whether a period of rateGrace is over in which less than rate bytes a second came, and starts the next one.
// underWay reports whether it must be called again.
func (a *rateCheck) tooSlow(now, rate int64) (tooSlow, underWay bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	waited := time.Duration(now - a.began)
	if a.began != 0 && waited >= rateGrace {
		tooSlow = a.bytes < int64(waited/time.Second)*rate
		a.began, a.bytes = now, 0
	}
	return tooSlow, a.began != 0
}
