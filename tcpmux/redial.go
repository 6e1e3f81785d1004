package tcpmux

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// maxAttempts is how many attempts to reconnect run at once. While the network is down an attempt gets no answer, and it may
// take seconds to notice that the network is back, so further attempts are started beside it. When there are maxAttempts,
// the oldest one without a connection is cancelled. An attempt that has a connection is not cancelled, and while there are
// maxConnected of these no other is started.
const (
	maxAttempts  = 4
	maxConnected = 2
)

// attempt is one attempt to reconnect.
type attempt struct {
	*attemptSlots
	stop      context.CancelFunc
	connected atomic.Bool // it has a connection
}

// setConnected notes that the attempt has a connection: the next attempt is delayed so that the peer has time to answer.
func (x *attempt) setConnected() {
	x.connected.Store(true)
	select {
	case x.progress <- struct{}{}:
	default:
	}
}

func (x *attempt) isConnected() bool { return x.connected.Load() }

// attemptSlots are shared by the attempts after one outage. Each slot is held by one attempt at a time.
type attemptSlots struct {
	// proving is held while an attempt sends its proof. Otherwise each attempt would take away the connection of the one
	// before.
	proving chan struct{}
	// fullTimeout is held by the one attempt that waits for an answer until Handshake is over. A listener to which thousands
	// of sessions reconnect at once answers late, and later still if all of them give up and ask again. The other attempts
	// use the short answerTimeout, in case only the first one was cut off.
	fullTimeout chan struct{}

	progress chan struct{} // receives when an attempt has a connection
}

func newAttemptSlots() *attemptSlots {
	return &attemptSlots{make(chan struct{}, 1), make(chan struct{}, 1), make(chan struct{}, 1)}
}

// answerTimeout is how long an attempt that was begun at the given time, and has just heard from the peer, waits for the
// next answer.
func answerTimeout(begun time.Time) time.Duration { return 2*time.Since(begun) + minAnswerTime }

// minAnswerTime is the least time that the peer is given to answer.
const minAnswerTime = 500 * time.Millisecond

// redial starts to reconnect the session, until that succeeds or the session ends; s.mu is held.
func (d *dialler) redial(s *Session) {
	go d.reconnect(s, s.fence)
}

// noteConnected notes that the session has a connection.
func (d *dialler) noteConnected() {
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
func (d *dialler) reconnect(s *Session, fence uint64) {
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

// mayStartAttempt reports whether another attempt may start. If the limit is reached, it cancels the oldest attempt that has
// no connection.
func mayStartAttempt(running []*attempt) bool {
	connected, oldest := 0, (*attempt)(nil)
	for _, x := range running {
		if x.isConnected() {
			connected++
		} else if oldest == nil {
			oldest = x
		}
	}
	switch {
	case connected >= maxConnected:
		return false
	case len(running) < maxAttempts:
		return true
	}
	oldest.stop()
	return false
}

// endsRedial reports whether no further attempt is needed: the session has ended, is connected, or its fence has changed
// since this redial began. It ends the session if err is one that no further attempt can overcome.
func (s *Session) endsRedial(fence uint64, err error) bool {
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
		return false // something between the two sides may have changed it: try again
	default:
		s.lose(err, Peer)
	}
	return true
}
