package serverconn

import (
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
)

// looks schedules the reads of a connection's quiet streams: they are more frequent while packets arrive.
type looks struct {
	at   clock.Moment // of the next one; 0 while one is under way, or if there are none
	gap  time.Duration
	came uint64 // packets, at the last one
}

const (
	firstLook    = 100 * time.Millisecond // behind the handshake, when the streams come
	shortestLook = time.Second
	longestLook  = time.Minute
	restAfter    = 2 * time.Second // how long a connection has been idle when its control stream becomes a quiet one
)

// begin sets the time of the first look.
func (l *looks) begin(now clock.Moment) { l.at = clock.After(now, firstLook) }

// looked sets the time of the next look. came is how many packets have arrived so far.
func (l *looks) looked(now clock.Moment, came uint64) {
	if came == l.came {
		l.gap = min(2*l.gap, longestLook)
	} else {
		l.gap = max(l.gap/2, shortestLook)
	}
	l.came = came
	l.at = clock.After(now, l.gap)
}

// isDue reports whether it is time to look. If so, at is 0 until that was done.
func (l *looks) isDue(now clock.Moment) bool {
	if !clock.Passed(l.at, now) {
		return false
	}
	l.at = 0
	return true
}
