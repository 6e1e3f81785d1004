// Package peerrate judges whether a peer sends or takes too slowly.
//
// A minimum rate is judged over the time spent waiting only. A handler that computes, an event stream without events and a
// client between two requests are not slow.
package peerrate

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// Limits are the minimum rates. They do not change.
type Limits struct {
	MinRead  int           // bytes per second while the reader waits; 0: none
	MinWrite int           // bytes per second while output waits for the peer; 0: none
	Grace    time.Duration // waiting time after which a rate is judged; not 0 with a minimum rate
}

// Reads measures how fast a peer sends while the reader waits for it. The reader owns it.
type Reads struct {
	waited int64 // nanoseconds of waiting in this span
	bytes  int64 // bytes received in this span
}

// Add accounts for a wait of waited nanoseconds, in which n bytes arrived.
func (a *Reads) Add(waited int64, n int) {
	a.waited += waited
	a.bytes += int64(n)
}

// Due returns when a wait that begins at now is to be judged, 0 for never.
func (a *Reads) Due(l *Limits, now clock.Moment) clock.Moment {
	if l.MinRead == 0 {
		return 0
	}
	return now + int64(l.Grace) - a.waited
}

// TooSlow judges a complete span and begins the next one.
func (a *Reads) TooSlow(l *Limits) bool {
	if l.MinRead == 0 || a.waited < int64(l.Grace) {
		return false
	}
	slow := float64(a.bytes)*1e9 < float64(l.MinRead)*float64(a.waited)
	*a = Reads{}
	return slow
}
