package tcpmux

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// link is the connection of a session: one at a time, and none during an outage. The session's lock guards it.
type link struct {
	conn        *conn   // nil while disconnected
	outage      *outage // set while disconnected, and after the end
	fence       uint32  // counts detached connections and accepted proofs; outdates attempts begun before
	resumeCount uint32
}

// outage is what a session keeps while it has no connection, and after its end.
type outage struct {
	endpoints endpoints
	since     time.Time
	expiry    *clock.SteppedTimer // ends the session; nil: no limit, or the session has ended
}

// endpoints describe a connection.
type endpoints struct {
	local, remote net.Addr
	tls           *tls.ConnectionState
}

// endpointsLocked describes the current connection, or the last one.
func (l *link) endpointsLocked() endpoints {
	switch {
	case l.conn != nil:
		return l.conn.endpoints()
	case l.outage != nil:
		return l.outage.endpoints
	}
	return endpoints{}
}

// dropLocked forgets the connection, but keeps its endpoints.
func (l *link) dropLocked() {
	if l.outage == nil {
		l.outage = &outage{endpoints: l.endpointsLocked()}
	}
	l.conn = nil
}

// restoreLocked makes c the connection. It returns how long the outage was; ok is false if there was none.
func (l *link) restoreLocked(c *conn) (outage time.Duration, ok bool) {
	l.conn = c
	if x := l.outage; x != nil {
		if x.expiry != nil {
			x.expiry.Stop()
		}
		l.outage = nil
		l.resumeCount++
		return time.Since(x.since), true
	}
	return 0, false
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

// attachLocked makes nc the session's connection and resumes after the received bytes of the peer. It returns nil if the
// session has ended or received is impossible.
func (s *Session) attachLocked(nc *netconn.Conn, received uint64) *conn {
	c := &conn{s: s, nc: nc}
	nc.SetWriteTimeout(s.cfg.stallTimeout())
	nc.ShareOutput()
	if s.end != nil || !s.core.Attach(received, nc.Moment()) {
		return nil
	}
	outage, resumed := s.restoreLocked(c)
	s.origin.attachedLocked(s)
	s.origin.countHeldLocked(s)
	if resumed {
		s.notifyLocked(notice{outage: outage})
		s.cfg.Logger.Debug("session resumed", "session", s.ID(), "remote", nc.RemoteAddr())
	}
	c.setAlarmLocked()
	s.wakeAll(&s.pingers)
	return c
}

// connEndedLocked is called when a connection is over. It does nothing if c is no longer the session's connection.
func (s *Session) connEndedLocked(c *conn, err error) {
	if s.conn != c {
		return
	}
	s.detachLocked(breakError(err))
	switch {
	case s.resumable:
		s.origin.brokenLocked(s)
	case s.closing:
		s.finishLocked(EndError{By: s.by})
	default:
		s.loseLocked(fmt.Errorf("%w: %w", ErrConnectionLost, breakError(err)), SideLocal)
	}
}

// detachLocked takes the session's connection away and starts the timer of Config.ResumeTimeout.
func (s *Session) detachLocked(err error) {
	s.dropLocked()
	s.fence++
	s.core.Detach()
	x := s.outage
	x.since = time.Now()
	s.notifyLocked(notice{err: err})
	s.cfg.Logger.Debug("session broken", "session", s.ID(), "error", err)
	if s.resumeTimeout == 0 || !s.resumable {
		return
	}
	x.expiry = clock.AfterFunc(s.resumeTimeout, func() {
		s.mu.Lock()
		switch {
		case s.outage != x || s.end != nil: // it was resumed, or has ended
		case s.closing:
			s.finishLocked(EndError{By: s.by})
		default:
			s.loseLocked(ErrResumeTimeout, SideLocal)
		}
		s.unlock()
	})
}

// fenceOff detaches the session's connection, if it has one, in favour of another whose peer has proven itself: nothing more
// is received on the old one. It returns the fence to pass to resumeOn and how much was received. ok is false if the session
// has ended.
func (s *Session) fenceOff() (fence uint32, received uint64, ok bool) {
	s.mu.Lock()
	if s.end != nil {
		s.mu.Unlock()
		return 0, 0, false
	}
	old := s.conn
	if old != nil {
		s.detachLocked(errReplaced)
	}
	s.fence++
	fence, received = s.fence, s.core.Received()
	s.unlock()
	if old != nil {
		old.nc.Abort()
	}
	return fence, received, true
}

// resumeOn makes nc the session's connection, unless fenceOff was called again since it returned fence. received is how much
// the peer has received.
func (s *Session) resumeOn(nc *netconn.Conn, fence uint32, received uint64) (c *conn) {
	s.mu.Lock()
	defer s.unlock()
	if s.fence == fence {
		c = s.attachLocked(nc, received)
	}
	if s.conn == nil && s.end == nil {
		s.origin.brokenLocked(s)
	}
	return c
}
