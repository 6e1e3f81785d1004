package netconn

import (
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// A minimum rate is judged over the time spent waiting only. A handler that computes, an event stream without events
// and a client between two requests are not slow.

// readAccount measures how fast a peer sends while the reader waits for it.
type readAccount struct {
	waited int64 // nanoseconds of waiting in this span
	bytes  int64 // bytes received in this span
}

// tooSlow judges a complete span and begins the next one.
func (a *readAccount) tooSlow(cfg *Config) bool {
	if cfg.MinReadRate == 0 || a.waited < int64(cfg.RateGrace) {
		return false
	}
	slow := float64(a.bytes)*1e9 < float64(cfg.MinReadRate)*float64(a.waited)
	*a = readAccount{}
	return slow
}

// writeAccount measures how fast a peer takes output while a writer waits for it: first RateGrace of waiting passes,
// then a span is judged. What the kernel accepts says little: it fills its own buffer first, lets that grow, and wakes
// a writer only when a third of it is free. So the peer is judged by what it acknowledges.
//
// Silence says little, too. A receiver whose window has closed opens it again only when a sixteenth of its buffer, or
// room for a segment, is free (transport.WindowStep). A receiver that reads 1 kB/s from a buffer of 6 MiB acknowledges
// nothing for more than six minutes. So a span lasts until a peer that reads at twice the minimum rate must have
// acknowledged something.
type writeAccount struct {
	waited int64 // nanoseconds of waiting
	span   int64 // length of the span; 0: it has not begun
	taken  int64 // transport.Taken when the span began
}

// Limits of a span, in multiples of RateGrace: 15 s and a quarter of an hour by default.
const (
	shortSpan = 3
	longSpan  = 180
)

// next returns how much longer to wait before the next check.
func (a *writeAccount) next(cfg *Config) int64 {
	return int64(cfg.RateGrace) + a.span - a.waited
}

// tooSlow begins a span, or judges a complete one. accepted is how many bytes the connection has accepted.
func (a *writeAccount) tooSlow(cfg *Config, tr *transport.Conn, accepted int64) bool {
	if cfg.MinWriteRate == 0 || a.next(cfg) > 0 {
		return false
	}
	grace := int64(cfg.RateGrace)
	if a.span == 0 {
		shows := int64(float64(tr.WindowStep()) / float64(2*cfg.MinWriteRate) * 1e9)
		a.span = min(max(shows, shortSpan*grace), longSpan*grace)
		a.taken, a.waited = tr.Taken(accepted), grace // a late check does not count as waiting in the new span
		return false
	}
	slow := float64(tr.Taken(accepted)-a.taken)*1e9 < float64(cfg.MinWriteRate)*float64(a.span)
	*a = writeAccount{}
	return slow
}
