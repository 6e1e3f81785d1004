package tcpmux

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Close ends the session in order: nothing more is opened or sent, what has been sent is delivered, over a break of the
// connection, too, and the peer is told. What the peer has sent can be received meanwhile, and afterwards. Close waits for
// Config.Linger, or until ctx ends, and returns how the session has ended.
func (s *Session) Close(ctx context.Context) End {
	s.mu.Lock()
	if s.end == nil && !s.closing {
		s.close(Us)
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

// close begins to end the session in order; s.mu is held.
func (s *Session) close(by Side) {
	s.closing, s.by = true, by
	s.core.GoAway()
	linger := s.cfg.Linger
	if linger <= 0 {
		linger = time.Nanosecond
	}
	time.AfterFunc(linger, s.giveUp)
}

// giveUp ends a session that is closing with what has been acknowledged so far.
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

// kill ends the session at once, and tells the peer if there is a connection.
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

// lose ends a session that is not closed in order; s.mu is held.
func (s *Session) lose(err error, by Side) {
	if s.end == nil {
		s.cfg.Logger.Debug("session lost", "session", s.ID(), "error", err)
		s.finish(End{Err: err, By: by})
	}
}

// finish ends the session unless it has ended; s.mu is held. Its connection, if it has one, is the caller's to end.
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
	s.leave()
	s.core.Leave(s.end)
	if t := s.away.patience; t != nil {
		t.Stop()
	}
	s.tellAll(&s.accepted)
	s.tellAll(&s.pinging)
	if s.done != nil {
		close(s.done)
	}
	if s.from != nil {
		s.from.forget(s)
	}
}

// idles reports whether the session has had no channels for Config.Idle; s.mu is held.
func (s *Session) idles() bool {
	if s.cfg.Idle == 0 || s.closing || s.core.Channels() > 0 || len(s.pending) > 0 {
		s.unused = time.Time{}
		return false
	}
	if s.unused.IsZero() {
		s.unused = time.Now()
	}
	return time.Since(s.unused) >= s.cfg.Idle
}
