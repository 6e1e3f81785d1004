package tcpmux

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/bufpool"
	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/muxsession"
)

// Session is what two processes have in common: channels, and what must not be lost when a connection breaks. All methods
// may be called concurrently.
//
//	         broken: a connection has gone                   Close, GOAWAY
//	connected ◄───────────────────────────► waiting    any ───────────────► closing ──► ended
//	         resumed: there is another one                  not resumed in time, Abort ──┘
//
// Everything below belongs to whoever holds mu, but for what never changes. With mu held nothing is sent: unlock does that.
type Session struct {
	cfg     *settings
	id      muxframe.ID
	secret  []byte
	dialler *dialler      // of the side that has dialled
	from    *Listener     // of the other
	lasts   time.Duration // without a connection; 0: for ever
	resumes bool          // both sides can

	mu        sync.Mutex
	closing   bool
	by        Side // who closes
	core      *muxsession.Session
	conn      *conn // nil: there is none at the moment
	fence     uint64
	away      *away // when there is none any more
	told      *waiter
	accepted  waitList // who waits in Accept
	pinging   waitList
	pending   []*Channel // announced, and not accepted
	forgotten int        // of them, which were reset
	end       *EndError
	done      chan struct{} // closed when there is an end; made by the first who asks
	serial    uint64        // of names that nobody uses
	resumed   uint64
	notices   notices
	unused    time.Time // since when there is no channel
	weighed   int64     // what it holds while it waits, as the listener has counted it
}

// away is a session whose connection has gone.
type away struct {
	from     place
	since    time.Time
	patience *time.Timer // how long that may be; nil: for ever, or it has ended
}

// place is where a connection is.
type place struct {
	local, remote net.Addr
	tls           *tls.ConnectionState
}

// newSession returns a session at its beginning, without a connection.
func newSession(cfg *settings, id muxframe.ID, secret []byte, theirs muxframe.Limits, both muxframe.Features, dialled bool) *Session {
	s := &Session{
		cfg: cfg, id: id, secret: secret, resumes: both&muxframe.CanResume != 0, lasts: cfg.resumeTime(theirs),
	}
	s.core = muxsession.New(muxsession.Config{Dialler: dialled, Watcher: s.watcher(), Theirs: theirs, Settings: &cfg.core})
	return s
}

// memory is bufpool's.
type memory struct{}

func (memory) Get(size int) []byte { return bufpool.Get(size) }
func (memory) Put(b []byte)        { bufpool.Put(b) }

// now is the time, as the clock of the session's connections counts it.
func (s *Session) now() int64 {
	if s.conn != nil {
		return s.conn.nc.Moment()
	}
	return 1
}

// ID returns the session's id, 32 hexadecimal digits, the same at both ends.
func (s *Session) ID() string { return hex.EncodeToString(s.id[:]) }

// Dialled reports whether this side has dialled.
func (s *Session) Dialled() bool { return s.dialler != nil }

// RemoteAddr returns the peer's address on the session's connection, or on its last one.
func (s *Session) RemoteAddr() net.Addr { return s.where().remote }

// LocalAddr returns our address there.
func (s *Session) LocalAddr() net.Addr { return s.where().local }

// TLS returns the state of TLS there, nil without.
func (s *Session) TLS() *tls.ConnectionState { return s.where().tls }

func (s *Session) where() place {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.conn != nil:
		return s.conn.at
	case s.away != nil:
		return s.away.from
	}
	return place{}
}

// leave has the session be without the connection that it has, if it has one; s.mu is held.
func (s *Session) leave() {
	if s.away == nil {
		s.away = new(away)
	}
	if s.conn != nil {
		s.away.from, s.conn = s.conn.at, nil
	}
}

// Connected reports whether the session has a connection at the moment.
func (s *Session) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn != nil
}

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done == nil {
		s.done = make(chan struct{})
		if s.end != nil {
			close(s.done)
		}
	}
	return s.done
}

// Err returns nil before that, and then an *EndError, which tells how.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err()
}

func (s *Session) err() error {
	if s.end == nil {
		return nil
	}
	return s.end
}

// Ping asks the peer for a sign of life and returns how long that took. It waits for a connection if there is none.
func (s *Session) Ping(ctx context.Context) (time.Duration, error) {
	s.mu.Lock()
	defer s.unlock()
	asked, fence := false, s.fence
	for {
		if s.end != nil {
			return 0, s.end
		}
		if s.conn != nil {
			if asked && fence == s.fence && !s.core.Pinging() {
				return time.Duration(s.core.RTT()), nil
			}
			s.core.Ping(s.now())
			asked, fence = true, s.fence
		}
		if err := s.await(ctx, &s.pinging, nil); err != nil {
			return 0, err
		}
	}
}
