package tcpmux

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
)

// ending is how far the end of a session has come. The session's lock guards it.
type ending struct {
	closing bool // a side closes the session in order
	by      Side // that side
	end     *EndError
	done    chan struct{} // closed when the session has ended; made by the first call of Done
}

// doneLocked returns a channel that is closed when the session has ended.
func (e *ending) doneLocked() <-chan struct{} {
	if e.done == nil {
		e.done = make(chan struct{})
		if e.end != nil {
			close(e.done)
		}
	}
	return e.done
}

// Shutdown closes the session in order: channels can no longer be opened or sent to, messages that were sent are delivered,
// even if the connection breaks meanwhile, and the peer is told. Messages of the peer can be received meanwhile and
// afterwards. Shutdown waits until the session has ended, which takes at most Config.Linger, and less if ctx is done.
//
// If Shutdown returns nil, the peer's process has every message for which Send has returned, and this process may exit. Without
// Shutdown, what was sent last may be lost then: Send only hands it to the session. Otherwise errors.As finds an *EndError,
// which says what was lost; if ctx was done, errors.Is finds its error as well. If the session had ended before, Shutdown
// reports how.
func (s *Session) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	if s.end == nil && !s.closing {
		s.startCloseLocked(SideLocal)
	}
	s.unlock()
	var gaveUp error
	select {
	case <-s.Done():
	case <-ctx.Done():
		gaveUp = ctx.Err()
		s.giveUp()
	}
	s.mu.Lock()
	end := s.end
	s.mu.Unlock()
	switch {
	case end.Err == nil && end.Undelivered == 0:
		return nil
	case gaveUp != nil:
		return fmt.Errorf("%w: %w", gaveUp, end)
	}
	return end
}

// startCloseLocked begins to close the session in order.
func (s *Session) startCloseLocked(by Side) {
	s.closing, s.by = true, by
	s.core.GoAway()
	linger := s.cfg.Linger
	if linger <= 0 {
		linger = time.Nanosecond
	}
	clock.AfterFunc(linger, s.giveUp)
}

// giveUp ends a closing session even if not everything has been acknowledged.
func (s *Session) giveUp() {
	s.mu.Lock()
	c := s.conn
	s.finishLocked(EndError{By: s.by})
	s.unlock()
	if c != nil {
		c.nc.Quit()
	}
}

// Close ends the session at once, for both sides: messages that are on their way are lost. Then methods return an *EndError
// that wraps ErrAborted. It returns nil.
func (s *Session) Close() error {
	s.mu.Lock()
	c := s.conn
	s.loseLocked(ErrAborted, SideLocal)
	s.unlock()
	if c != nil {
		_, _ = c.nc.Post(netconn.Final, muxframe.AppendKill(nil, muxframe.KillAborted, ""))
		c.nc.Quit()
	}
	return nil
}

// failLocked ends the session after the peer has broken a rule or killed it. It returns what is to be sent last, and the
// error with which the connection ends.
func (s *Session) failLocked(err error) (last []byte, _ error) {
	s.loseLocked(faceError(err), SidePeer)
	var killed *muxsession.Killed
	if errors.As(err, &killed) {
		return nil, netconn.ErrDone
	}
	return muxframe.AppendKill(nil, muxframe.KillProtocol, err.Error()), netconn.ErrDoneEarly
}

// finishCloseLocked ends a session that both sides have closed. What is to be sent last is an ACK, which tells the peer that
// everything has arrived.
func (s *Session) finishCloseLocked() (last []byte, _ error) {
	last = muxframe.AppendAck(nil, s.core.Received())
	s.finishLocked(EndError{By: s.by})
	return last, netconn.ErrDone
}

// loseLocked ends a session that was not closed in order.
func (s *Session) loseLocked(err error, by Side) {
	if s.end == nil {
		s.cfg.Logger.Debug("session lost", "session", s.ID(), "error", err)
		s.finishLocked(EndError{Err: err, By: by})
	}
}

// finishLocked ends the session unless it has ended. The caller must end its connection, if it has one.
func (s *Session) finishLocked(e EndError) {
	if s.end != nil {
		return
	}
	s.core.Unacked(func(name string, n uint64) {
		if e.Unacked == nil {
			e.Unacked = map[string]int64{}
		}
		e.Unacked[name] += int64(n)
		e.Undelivered += int64(n)
	})
	s.end = &e
	s.dropLocked()
	s.core.Terminate(s.end)
	if t := s.outage.expiry; t != nil {
		t.Stop()
	}
	if s.arrivals != nil {
		s.wakeAll(&s.arrivals.accepters)
	}
	s.wakeAll(&s.pingers)
	if s.done != nil {
		close(s.done)
	}
	s.origin.endedLocked(s)
}

// idleTooLongLocked reports whether the session has had no channels for Config.IdleTimeout.
func (s *Session) idleTooLongLocked(now int64) bool {
	busy := s.closing || s.core.Channels() > 0 || s.arrivals.waiting() > 0
	return s.idle.exceeds(s.cfg.IdleTimeout, now, busy)
}
