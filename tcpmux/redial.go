package tcpmux

import (
	"context"
	"errors"
	"slices"
	"time"
)

// brokenLocked implements origin: it starts to reconnect the session, until that succeeds or the session ends.
func (d *dialler) brokenLocked(s *Session) { go d.reconnect(s, s.fence) }

// countHeldLocked implements origin.
func (d *dialler) countHeldLocked(*Session) {}

// endedLocked implements origin. The attempts end by themselves.
func (d *dialler) endedLocked(*Session) {}

// attachedLocked implements origin: it records since when there is a connection.
func (d *dialler) attachedLocked(*Session) {
	d.mu.Lock()
	d.connected = time.Now()
	d.mu.Unlock()
}

// nextWait returns how long to wait before the next attempt.
func (d *dialler) nextWait() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.waits.Next()
}

// firstWait returns how long to wait before the first attempt after an outage: not at all if the connection has lasted, or was
// the session's first.
func (d *dialler) firstWait() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waits.First, d.waits.Longest = d.cfg.RedialFirst, max(d.cfg.RedialLongest, time.Millisecond)
	lasted := d.waits.Lasted(time.Since(d.connected))
	if first := !d.redialled; first || lasted {
		d.redialled = true
		return 0
	}
	return d.waits.Next()
}

// reconnect makes attempts until one of them has resumed the session or further ones are pointless.
func (d *dialler) reconnect(s *Session, fence uint32) {
	ctx, cancel := context.WithCancel(context.Background())
	type outcome struct {
		*attempt
		err error
	}
	results := make(chan outcome, maxAttempts)
	var running []*attempt // the oldest first
	shared := newAttemptSlots()
	wait := d.firstWait()
	next := time.Now().Add(wait) // when the next attempt is due, if none has a connection
	timer := time.NewTimer(wait)
	overdue := false // an attempt is due and waits until another has ended
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
			if overdue = !mayStartAttempt(running); overdue {
				continue
			}
			x := &attempt{attemptSlots: shared}
			ctx, stop := context.WithCancel(ctx)
			x.stop = stop
			running = append(running, x)
			go func() { results <- outcome{x, d.resume(ctx, s, x)} }()
			next = time.Now().Add(d.nextWait())
			timer.Reset(time.Until(next))
		case <-shared.progress:
			timer.Reset(minAnswerTime)
		case r := <-results:
			r.stop()
			running = slices.DeleteFunc(running, func(x *attempt) bool { return x == r.attempt })
			if r.err == nil || s.endsRedial(fence, r.err) {
				return
			}
			if overdue || !slices.ContainsFunc(running, (*attempt).isConnected) {
				timer.Reset(time.Until(next))
			}
		}
	}
}

// endsRedial reports whether no further attempt is needed: the session has ended, is connected, or its fence has changed
// since this redial began. It ends the session if err is one that no further attempt can overcome.
func (s *Session) endsRedial(fence uint32, err error) bool {
	s.mu.Lock()
	defer s.unlock()
	if s.end != nil || s.conn != nil || s.fence != fence {
		return true
	}
	s.cfg.Logger.Debug("session not resumed", "session", s.ID(), "error", err)
	var o *overError
	var refused *RefusedError
	switch {
	case errors.As(err, &o):
		s.core.PeerReceived(o.received)
		if !s.closing {
			s.by = SidePeer
		}
		s.finishLocked(EndError{By: s.by})
	case !errors.As(err, &refused):
		return false
	case refused.Code == RefusedUnknownSession && s.closing:
		s.finishLocked(EndError{By: s.by})
	case refused.Code == RefusedUnknownSession:
		s.loseLocked(ErrUnknownSession, SidePeer)
	case refused.Code == RefusedBadProof:
		return false // something between the two sides may have changed it: try again
	default:
		s.loseLocked(err, SidePeer)
	}
	return true
}
