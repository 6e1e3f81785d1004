package tcpmux

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/internal/netconn"
)

// broke is told that a connection is over; s.mu is held. Of one that is the session's no more nothing follows.
func (s *Session) broke(c *conn, err error) {
	if s.conn != c {
		return
	}
	s.detach(plain(err))
	switch {
	case !s.resumes && s.closing:
		s.finish(End{By: s.by})
	case !s.resumes:
		s.lose(fmt.Errorf("%w: %w", ErrAtMostOnce, plain(err)), Us)
	case s.dialler != nil:
		s.dialler.redial(s)
	default:
		s.from.waits(s)
	}
}

// detach takes the session's connection away; s.mu is held. Its resumption is awaited for so long as was agreed on.
func (s *Session) detach(err error) {
	s.leave()
	s.fence++
	s.core.Detach()
	x := s.away
	x.since = time.Now()
	s.notices.add(s, notice{err: err})
	s.cfg.Logger.Debug("session broken", "session", s.ID(), "error", err)
	if s.lasts == 0 || !s.resumes {
		return
	}
	x.patience = time.AfterFunc(s.lasts, func() {
		s.mu.Lock()
		if s.away == x && s.end == nil {
			s.expire()
		}
		s.unlock()
	})
}

// expire ends a session whose peer has not come back; s.mu is held.
func (s *Session) expire() {
	if s.closing {
		s.finish(End{By: s.by})
		return
	}
	s.lose(ErrResumeTime, Us)
}

// plain says in words of this package why a connection ended.
func plain(err error) error {
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

// notice is what Config.OnBroken or OnResumed is told.
type notice struct {
	err    error // of one that has broken
	outage time.Duration
}

// notices have those callbacks called in order, on a goroutine of their own while there are some. The session's lock guards
// them.
type notices struct {
	waiting []notice
	telling bool
}

func (n *notices) add(s *Session, x notice) {
	if x.err != nil && s.cfg.OnBroken == nil || x.err == nil && s.cfg.OnResumed == nil {
		return
	}
	n.waiting = append(n.waiting, x)
	if !n.telling {
		n.telling = true
		go n.tell(s)
	}
}

func (n *notices) tell(s *Session) {
	for {
		s.mu.Lock()
		if len(n.waiting) == 0 {
			n.waiting, n.telling = nil, false
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
