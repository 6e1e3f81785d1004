package peerrate

import (
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/transport"
)

// Stall judges a peer while output waits for it. The waiting is done by the flusher's goroutine or, for a flight left in the
// queue, by the lot. The flusher owns the Stall; Accepted may be called by any goroutine.
type Stall struct {
	writes   writes
	accepted atomic.Int64 // bytes that the connection has accepted since there is a Stall
	progress clock.Moment // when the wait began or the peer last took something; 0: no wait
	lookAt   clock.Moment // when to look next whether the peer takes what the system holds; 0: the wait has just begun
	taken    int64        // what the peer had taken at the last look
	looked   bool         // taken is set
	leftAt   clock.Moment // when the flight was left to the lot; 0: none is
}

// Accepted returns how many bytes the connection has accepted since there is a Stall.
func (s *Stall) Accepted() int64 { return s.accepted.Load() }

// Accept notes that the connection has accepted n bytes: no wait is in progress.
func (s *Stall) Accept(n int) {
	s.accepted.Add(int64(n))
	s.progress = 0
}

// Begin begins a wait at now.
func (s *Stall) Begin(now clock.Moment) { s.progress, s.lookAt, s.looked = now, 0, false }

// Continue begins a wait at now, unless one is in progress.
func (s *Stall) Continue(now clock.Moment) {
	if s.progress == 0 {
		s.Begin(now)
	}
}

// End ends the wait: the next one starts anew.
func (s *Stall) End() { s.progress = 0 }

// Add accounts for a wait of waited nanoseconds that ended at now, in which n bytes were sent.
func (s *Stall) Add(now clock.Moment, waited int64, n int) {
	s.writes.waited += waited
	if n > 0 {
		s.progress = now
	}
}

// Leave notes that the flight is left to the lot at now.
func (s *Stall) Leave(now clock.Moment) { s.leftAt = now }

// Resume ends and accounts for the lot's wait.
func (s *Stall) Resume(now clock.Moment) {
	if s.leftAt != 0 {
		s.writes.waited += max(now-s.leftAt, 0)
		s.leftAt = 0
	}
}

// TakesBy returns when to judge a peer that must take something within limit: when it has taken nothing for so long, or
// earlier, to look whether it takes what the system has accepted. A writer is woken only when much of that has been taken,
// which lasts long on a slow line.
func (s *Stall) TakesBy(tr *transport.Conn, now clock.Moment, limit int64) clock.Moment {
	switch {
	case !tr.Socket():
		return s.progress + limit // there is nothing to see, and a look may cost the connection
	case s.lookAt == 0:
		s.lookAt = now + limit/4
	case now >= s.lookAt:
		taken := tr.Taken(s.accepted.Load())
		if s.looked && taken > s.taken {
			s.progress = now
		}
		s.taken, s.looked, s.lookAt = taken, true, now+limit/4
	}
	return max(min(s.progress+limit, s.lookAt), 1)
}

// TooSlow judges the rate over a complete span.
func (s *Stall) TooSlow(l *Limits, tr *transport.Conn) bool {
	return s.writes.tooSlow(l, tr, s.accepted.Load())
}

// Due returns when a wait that goes on at now is to be judged by its rate, 0 for never.
func (s *Stall) Due(l *Limits, tr *transport.Conn, now clock.Moment) clock.Moment {
	switch {
	case l.MinWrite == 0:
		return 0
	case tr.Brittle():
		return now + brittleGrace*int64(l.Grace)
	}
	return now + s.writes.next(l)
}

// The peer of a brittle transport is not checked during a write. It has a minute, with the default Grace, for a piece.
const brittleGrace = 12
