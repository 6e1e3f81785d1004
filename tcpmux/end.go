package tcpmux

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// Close closes the session in order: channels can no longer be opened or sent to, messages that were sent are delivered,
// even if the connection breaks meanwhile, and the peer is told. Messages of the peer can be received meanwhile and
// afterwards. Close waits for at most Config.Linger, or until ctx is done, and returns how the session has ended.
//
// If Undelivered is 0, the peer's process has every message for which Send has returned, and this process may exit. Without
// Close, what was sent last may be lost then: Send only hands it to the session.
func (s *Session) Close(ctx context.Context) End {
	s.mu.Lock()
	if s.end == nil && !s.closing {
		s.startClose(Us)
	}
	s.unlock()
	select {
	case <-s.Done():
	case <-ctx.Done():
		s.giveUp()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end.End
}

// startClose begins to close the session in order; s.mu is held.
func (s *Session) startClose(by Side) {
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
	s.finish(End{By: s.by})
	s.unlock()
	if c != nil {
		c.nc.Quit()
	}
}

// Abort ends the session at once, for both sides.
func (s *Session) Abort() { s.kill(ErrAborted, muxframe.KillAborted) }

// kill ends the session at once. It sends KILL to the peer if there is a connection.
func (s *Session) kill(err error, code uint32) {
	s.mu.Lock()
	c := s.conn
	s.lose(err, Us)
	s.unlock()
	if c != nil {
		_, _ = c.nc.Post(netconn.Final, muxframe.AppendKill(nil, code, ""))
		c.nc.Quit()
	}
}

// lose ends a session that was not closed in order; s.mu is held.
func (s *Session) lose(err error, by Side) {
	if s.end == nil {
		s.cfg.Logger.Debug("session lost", "session", s.ID(), "error", err)
		s.finish(End{Err: err, By: by})
	}
}

// finish ends the session unless it has ended; s.mu is held. The caller must end its connection, if it has one.
func (s *Session) finish(e End) {
	if s.end != nil {
		return
	}
	s.core.Unacked(func(name string, n uint64) {
		if e.Unacked == nil {
			e.Unacked = map[string]uint64{}
		}
		e.Unacked[name] += n
		e.Undelivered += n
	})
	s.end = &EndError{e}
	s.dropConn()
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
	if s.listener != nil {
		s.listener.remove(s)
	}
}

// idleTooLong reports whether the session has had no channels for Config.Idle; s.mu is held.
func (s *Session) idleTooLong(now int64) bool {
	if s.cfg.Idle == 0 || s.closing || s.core.Channels() > 0 || s.arrivals.waiting() > 0 {
		s.idleSince = 0
		return false
	}
	if s.idleSince == 0 {
		s.idleSince = now
	}
	return now-s.idleSince >= int64(s.cfg.Idle)
}
