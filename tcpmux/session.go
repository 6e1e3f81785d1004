package tcpmux

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// Session connects two processes: it has channels, and keeps messages until the peer has acknowledged them, so that a broken
// connection loses none. All methods may be called concurrently.
//
//	         broken: the connection has ended                Close, GOAWAY
//	connected ◄───────────────────────────► waiting    any ───────────────► closing ──► ended
//	         resumed: there is another one                  not resumed in time, Abort ──┘
type Session struct {
	// The fields after mu are guarded by it; those before it never change. Nothing is sent while mu is held: unlock does that.

	cfg        *settings
	id         muxframe.ID
	secret     secret.Secret
	dialler    *dialler      // of a session of Dial, else nil
	listener   *Listener     // of a session of a Listener, else nil
	resumeTime time.Duration // how long it may be disconnected; 0: no limit
	resumable  bool          // both sides support it

	mu           sync.Mutex
	closing      bool
	by           Side // which side closes
	core         *muxsession.Session
	conn         *conn     // nil while disconnected
	fence        uint64    // counts detached connections and accepted proofs; outdates attempts begun before
	outage       *outage   // set while disconnected, and after the end
	toWake       *waiter   // unlock wakes these
	pingers      waitList  // goroutines in Ping
	arrivals     *arrivals // nil while there are none
	end          *EndError
	done         chan struct{} // closed when the session has ended; made by the first call of Done
	notices      *notices      // nil while there are none
	lastAutoName uint32        // counter for the names that newName makes
	resumeCount  uint32
	idleSince    int64 // since when there is no channel, on the clock of conn.nc; 0 while there is one
	countedHeld  int64 // the bytes that countHeld has counted
}

// outage is what a session keeps while it has no connection, and after its end.
type outage struct {
	endpoints endpoints
	since     time.Time
	expiry    *clock.SteppedTimer // calls expire; nil: no limit, or the session has ended
}

// endpoints describe a connection.
type endpoints struct {
	local, remote net.Addr
	tls           *tls.ConnectionState
}

func (c *conn) endpoints() endpoints {
	return endpoints{local: c.nc.LocalAddr(), remote: c.nc.RemoteAddr(), tls: c.nc.TLS()}
}

// newSession returns a new session without a connection.
func newSession(cfg *settings, id muxframe.ID, secret secret.Secret, theirs muxframe.Limits, both muxframe.Features, dialled bool) *Session {
	s := &Session{
		cfg: cfg, id: id, secret: secret, resumable: both&muxframe.CanResume != 0, resumeTime: cfg.resumeTime(theirs),
	}
	s.core = muxsession.New(muxsession.Config{Dialler: dialled, Watcher: s.watcher(), Theirs: theirs, Settings: &cfg.core})
	return s
}

// memory is the buffer pool as a muxsession.Memory.
type memory struct{}

func (memory) Get(size int) []byte { return bufpool.Get(size) }
func (memory) Put(b []byte)        { bufpool.Put(b) }

// exactNow returns the time on the clock of the session's connections, or 1 while there is none.
func (s *Session) exactNow() int64 {
	if s.conn != nil {
		return s.conn.nc.ExactMoment()
	}
	return 1
}

// ID returns the session's id, 32 hexadecimal digits. It is the same on both sides.
func (s *Session) ID() string { return hex.EncodeToString(s.id[:]) }

// Dialled reports whether this side has dialled, or called Client.
func (s *Session) Dialled() bool { return s.core.Dialler() }

// RemoteAddr returns the peer's address on the current connection, or on the last one.
func (s *Session) RemoteAddr() net.Addr { return s.endpoints().remote }

// LocalAddr returns this side's address on the current connection, or on the last one.
func (s *Session) LocalAddr() net.Addr { return s.endpoints().local }

// TLS returns the TLS state of the current connection, or of the last one; nil without TLS.
func (s *Session) TLS() *tls.ConnectionState { return s.endpoints().tls }

func (s *Session) endpoints() endpoints {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.conn != nil:
		return s.conn.endpoints()
	case s.outage != nil:
		return s.outage.endpoints
	}
	return endpoints{}
}

// dropConn forgets the session's connection, but keeps its endpoints; s.mu is held.
func (s *Session) dropConn() {
	if s.outage == nil {
		s.outage = new(outage)
	}
	if s.conn != nil {
		s.outage.endpoints, s.conn = s.conn.endpoints(), nil
	}
}

// Connected reports whether the session has a connection now.
func (s *Session) Connected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn != nil
}

// Done returns a channel that is closed when the session has ended.
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

// Err returns nil until the session has ended, and then an *EndError.
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

// Ping pings the peer and returns the round-trip time. It waits for a connection if there is none.
func (s *Session) Ping(ctx context.Context) (time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
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
			s.core.Ping()
			asked, fence = true, s.fence
		}
		if err := s.await(ctx, &s.pingers, nil); err != nil {
			return 0, err
		}
	}
}
