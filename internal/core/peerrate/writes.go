package peerrate

import "github.com/shockwave-go/shockwave/internal/core/transport"

// writes measures how fast a peer takes output while a writer waits for it: first Grace of waiting passes, then a span is
// judged. What the kernel accepts says little: it fills its own buffer first, lets that grow, and wakes a writer only when a
// third of it is free. So the peer is judged by what it acknowledges.
//
// Silence says little, too. A receiver whose window has closed opens it again only when a sixteenth of its buffer, or room for
// a segment, is free (transport.WindowStep). A receiver that reads 1 kB/s from a buffer of 6 MiB acknowledges nothing for more
// than six minutes. So a span lasts until a peer that reads at twice the minimum rate must have acknowledged something.
type writes struct {
	waited int64 // nanoseconds of waiting
	span   int64 // length of the span; 0: it has not begun
	taken  int64 // transport.Taken when the span began
}

// Limits of a span, in multiples of Grace: 15 s and a quarter of an hour by default.
const (
	shortSpan = 3
	longSpan  = 180
)

// next returns how much longer to wait before the next check.
func (a *writes) next(l *Limits) int64 { return int64(l.Grace) + a.span - a.waited }

// tooSlow begins a span, or judges a complete one. accepted is how many bytes the connection has accepted.
func (a *writes) tooSlow(l *Limits, tr *transport.Conn, accepted int64) bool {
	if l.MinWrite == 0 || a.next(l) > 0 {
		return false
	}
	grace := int64(l.Grace)
	if a.span == 0 {
		shows := int64(float64(tr.WindowStep()) / float64(2*l.MinWrite) * 1e9)
		a.span = min(max(shows, shortSpan*grace), longSpan*grace)
		a.taken, a.waited = tr.Taken(accepted), grace // a late check does not count as waiting in the new span
		return false
	}
	slow := float64(tr.Taken(accepted)-a.taken)*1e9 < float64(l.MinWrite)*float64(a.span)
	*a = writes{}
	return slow
}
