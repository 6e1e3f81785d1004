package h2conn

import "time"

// activity is what netconn knows of a connection's streams. It is told that there is work, or that there is none any more,
// after a while without streams and not at the beginning and end of each. The connection's lock guards it.
//
//	idle ── a stream ──► active ── an alarm without streams ──► quiet ── another one, or the last stream of a connection that ends ──► idle
//	                        ▲                                     │
//	                        └────────────── a stream ─────────────┘
type activity struct {
	state workState
	used  bool // there have been streams since the last Data
}

// workState is a state of activity.
type workState uint8

const (
	idle   workState = iota // no streams, and netconn has been told so
	active                  // there are streams, or were since the last Alarm
	quiet                   // there were no streams at the last Alarm
)

// idleDelay is roughly how long a connection must have had no streams before netconn is told that it is idle.
const idleDelay = 100 * time.Millisecond

// streams records that there are streams. It reports whether netconn is to be told that there is work.
func (a *activity) streams() (begins bool) {
	begins = a.state == idle
	a.state = active
	return begins
}

// noStreams records that there are no streams. It reports whether netconn is to be told that there is no work.
func (a *activity) noStreams() (ends bool) {
	if a.state == idle {
		return false
	}
	a.state, a.used = idle, true
	return true
}

// alarm records that there are no streams at an Alarm, and reports what noStreams does.
func (a *activity) alarm() (ends bool) {
	if a.state == active {
		a.state = quiet
		return false
	}
	return a.noStreams()
}

// received is called at the end of each Data. It reports whether there have been no streams since the last one.
func (a *activity) received() (unused bool) {
	unused = a.state == idle && !a.used
	a.used = a.state != idle
	return unused
}
