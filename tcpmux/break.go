package tcpmux

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// connEnded is called when a connection is over; s.mu is held. It does nothing if c is no longer the session's connection.
func (s *Session) connEnded(c *conn, err error) {
	if s.conn != c {
		return
	}
	s.detach(breakError(err))
	switch {
	case !s.resumable && s.closing:
		s.finish(End{By: s.by})
	case !s.resumable:
		s.lose(fmt.Errorf("%w: %w", ErrAtMostOnce, breakError(err)), Us)
	case s.dialler != nil:
		s.dialler.redial(s)
	default:
		s.listener.addWaiting(s)
	}
}

// detach takes the session's connection away and starts the resume timer; s.mu is held.
func (s *Session) detach(err error) {
	s.dropConn()
	s.fence++
	s.core.Detach()
	x := s.outage
	x.since = time.Now()
	s.notify(notice{err: err})
	s.cfg.Logger.Debug("session broken", "session", s.ID(), "error", err)
	if s.resumeTime == 0 || !s.resumable {
		return
	}
	x.expiry = clock.AfterFunc(s.resumeTime, func() {
		s.mu.Lock()
		if s.outage == x && s.end == nil {
			s.expire()
		}
		s.unlock()
	})
}

// expire ends a session that was not resumed in time; s.mu is held.
func (s *Session) expire() {
	if s.closing {
		s.finish(End{By: s.by})
		return
	}
	s.lose(ErrResumeTime, Us)
}

// breakError translates the error with which a connection ended into one of this package's.
func breakError(err error) error {
	switch {
	case err == nil, err == io.EOF, err == io.ErrUnexpectedEOF:
		return errGone
	case errors.Is(err, netconn.ErrSlow):
		return errStalled
	case err == netconn.ErrAbort:
		return errCut
	}
	return err
}

var (
	errGone     = errors.New("tcpmux: the peer has closed the connection")
	errStalled  = errors.New("tcpmux: the peer takes nothing")
	errCut      = errors.New("tcpmux: the connection was cut")
	errReplaced = errors.New("tcpmux: the peer has connected again")
)

// notice is one pending call of Config.OnBroken or Config.OnResumed.
type notice struct {
	err    error // set: OnBroken is called; nil: OnResumed
	outage time.Duration
}

// notices are the calls of OnBroken and OnResumed to be made. They are made in order, on a goroutine that runs only while
// there are some. The session's lock guards them.
type notices struct{ waiting []notice }

// notify has Config.OnBroken or Config.OnResumed called; s.mu is held.
func (s *Session) notify(x notice) {
	if x.err != nil && s.cfg.OnBroken == nil || x.err == nil && s.cfg.OnResumed == nil {
		return
	}
	if s.notices == nil {
		s.notices = new(notices)
		go s.deliverNotices()
	}
	s.notices.waiting = append(s.notices.waiting, x)
}

func (s *Session) deliverNotices() {
	for {
		s.mu.Lock()
		n := s.notices
		if len(n.waiting) == 0 {
			s.notices = nil
			s.mu.Unlock()
			return
		}
		x := n.waiting[0]
		n.waiting = n.waiting[1:]
		s.mu.Unlock()
		if x.err != nil {
			s.cfg.OnBroken(s, x.err)
		} else {
			s.cfg.OnResumed(s, x.outage)
		}
	}
}
