package netconn

import (
	"github.com/shockwave-go/shockwave/internal/transport"
)

// A minimum rate is judged over spans of waiting only: a handler that thinks, an event stream with nothing to tell and
// a client between two requests are not slow.

// readAccount judges how fast a peer delivers while we wait for it.
type readAccount struct {
	waited int64 // nanoseconds in this span
	bytes  int64 // received in this span
}

// tooSlow judges a span that is full, and begins the next.
func (a *readAccount) tooSlow(cfg *Config) bool {
	if cfg.MinReadRate == 0 || a.waited < int64(cfg.RateGrace) {
		return false
	}
	slow := float64(a.bytes)*1e9 < float64(cfg.MinReadRate)*float64(a.waited)
	*a = readAccount{}
	return slow
}

// writeAccount judges how fast a peer takes what we send while we wait for it, after RateGrace of waiting and then over a
// span. What the kernel accepts from us tells little: it fills its own buffer first, lets that grow, and wakes a writer
// only when a third of it is free. So the peer is judged by what it acknowledges.
//
// Silence tells little, too. A receiver whose window has closed opens it again only when a sixteenth of its buffer is
// free, or room for a segment (transport.Leap): one that reads 1 kB/s from a buffer of 6 MiB shows nothing for more than
// six minutes. So a span lasts until a peer that reads at twice the minimum rate must have shown something.
type writeAccount struct {
	waited   int64 // nanoseconds of waiting
	span     int64 // how long the span lasts; 0: it has not begun
	taken    int64 // transport.Taken when it began
	accepted int64 // bytes given to the connection so far
}

// The shortest and the longest span, in RateGraces: 15 s and a quarter of an hour by default.
const (
	shortSpan = 3
	longSpan  = 180
)

// next returns how much longer to wait before the next look.
func (a *writeAccount) next(cfg *Config) int64 {
	return int64(cfg.RateGrace) + a.span - a.waited
}

// tooSlow begins a span or judges one that is full.
func (a *writeAccount) tooSlow(cfg *Config, tr *transport.Conn) bool {
	if cfg.MinWriteRate == 0 || a.next(cfg) > 0 {
		return false
	}
	grace := int64(cfg.RateGrace)
	if a.span == 0 {
		shows := int64(float64(tr.WindowStep()) / float64(2*cfg.MinWriteRate) * 1e9)
		a.span = min(max(shows, shortSpan*grace), longSpan*grace)
		a.taken, a.waited = tr.Taken(a.accepted), grace // whoever looks late has not waited for this
		return false
	}
	slow := float64(tr.Taken(a.accepted)-a.taken)*1e9 < float64(cfg.MinWriteRate)*float64(a.span)
	*a = writeAccount{accepted: a.accepted}
	return slow
}
