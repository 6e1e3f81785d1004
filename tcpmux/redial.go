package tcpmux

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/muxframe"
)

// tries is how many tries to connect again are under way at most. A network that is gone answers nothing, and a try that
// began then may not notice for seconds that it is back; so another one is begun beside it, and the oldest given up that has
// not reached anybody. One that has is waited for, for as long as its network takes to answer, and when two have no other is
// begun.
const (
	tries       = 4
	mostReached = 2
)

// try is one of them.
type try struct {
	*places
	stop    context.CancelFunc
	reaches atomic.Bool // there is a connection
}

// reach says that there is a connection: the next try may be put off until there has been time for an answer.
func (x *try) reach() {
	x.reaches.Store(true)
	select {
	case x.reached <- struct{}{}:
	default:
	}
}

func (x *try) hasReached() bool { return x.reaches.Load() }

// places are what the tries after one outage share. Each is one try's at a time.
type places struct {
	// Whoever proves itself has the turn, or each would take away the connection that the one before has brought.
	turn chan struct{}
	// Whoever is patient waits for as long as Handshake allows: a listener to whom thousands come back at once answers late,
	// and later if all of them give up and ask again. The others find out when only this try was cut off.
	patient chan struct{}

	reached chan struct{} // sent to when a try has reached somebody
}

func newPlaces() *places {
	return &places{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}
}

// answerTime is how long a try that began then, and has heard from the peer just now, waits for the next answer.
func answerTime(begun time.Time) time.Duration { return 2*time.Since(begun) + leastAnswer }

// leastAnswer is what an answer may take at least.
const leastAnswer = 500 * time.Millisecond

// redial has the session connect again, until it does or ends; s.mu is held.
func (d *dialler) redial(s *Session) {
	go d.reconnect(s, s.fence)
}

// reconnect tries until one of its tries has become the session's connection.
func (d *dialler) reconnect(s *Session, fence uint64) {
	ctx, cancel := context.WithCancel(context.Background())
	type outcome struct {
		*try
		err error
	}
	results := make(chan outcome, tries)
	var running []*try // the oldest first
	shared := newPlaces()
	wait := time.Duration(0)
	next := time.Now() // when another one begins, if none has reached anybody
	timer := time.NewTimer(0)
	due := false // it is to begin when one has ended
	defer func() {
		cancel()
		for range running {
			<-results
		}
	}()
	for {
		select {
		case <-s.Done():
			return
		case <-timer.C:
			if due = !roomForTry(running); due {
				continue
			}
			x := &try{places: shared}
			ctx, stop := context.WithCancel(ctx)
			x.stop = stop
			running = append(running, x)
			go func() { results <- outcome{x, d.resume(ctx, s, x)} }()
			next = time.Now().Add(d.pause(&wait))
			timer.Reset(time.Until(next))
		case <-shared.reached:
			timer.Reset(leastAnswer)
		case r := <-results:
			r.stop()
			running = slices.DeleteFunc(running, func(x *try) bool { return x == r.try })
			if r.err == nil || s.hopeless(fence, r.err) {
				return
			}
			if due || !slices.ContainsFunc(running, (*try).hasReached) {
				timer.Reset(time.Until(next))
			}
		}
	}
}

// roomForTry reports whether another try may begin. If only one that has not reached anybody is in its way that is given up.
func roomForTry(running []*try) bool {
	reached, oldest := 0, (*try)(nil)
	for _, x := range running {
		if x.hasReached() {
			reached++
		} else if oldest == nil {
			oldest = x
		}
	}
	switch {
	case reached >= mostReached:
		return false
	case len(running) < tries:
		return true
	}
	oldest.stop()
	return false
}

// pause returns how long to wait before the next try.
func (d *dialler) pause(wait *time.Duration) time.Duration {
	switch {
	case *wait == 0:
		*wait = max(d.cfg.RedialFirst, time.Millisecond)
	default:
		*wait = min(2**wait, max(d.cfg.RedialLongest, time.Millisecond))
	}
	return *wait - rand.N(*wait/2)
}

// hopeless reports whether there is to be no other try: the session does not wait any more as it did when its fence was so, or
// a try has failed in a way that no other can mend, which ends the session.
func (s *Session) hopeless(fence uint64, err error) bool {
	s.mu.Lock()
	defer s.unlock()
	if s.end != nil || s.conn != nil || s.fence != fence {
		return true
	}
	s.cfg.Logger.Debug("session not resumed", "session", s.ID(), "error", err)
	var o *over
	var refused *RefusedError
	switch {
	case errors.As(err, &o):
		s.core.Told(o.received)
		if !s.closing {
			s.by = Peer
		}
		s.finish(End{By: s.by})
	case !errors.As(err, &refused):
		return false
	case refused.Code == muxframe.RefusedUnknown && s.closing:
		s.finish(End{By: s.by})
	case refused.Code == muxframe.RefusedUnknown:
		s.lose(ErrUnknownSession, Peer)
	case refused.Code == muxframe.RefusedProof:
		return false // somebody between us has changed it
	default:
		s.lose(err, Peer)
	}
	return true
}
