package tcpmux

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/bufpool"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/internal/wire/muxsession"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// Session connects two processes: it has channels, and keeps messages until the peer has acknowledged them, so that a broken
// connection loses none. All methods may be called concurrently.
//
//	         broken: the connection has ended               Shutdown, GOAWAY
//	connected ◄───────────────────────────► waiting    any ─────────────────► closing ──► ended
//	         resumed: there is another one                    not resumed in time, Close ──┘
type Session struct {
	// The fields after mu are guarded by it; those before it never change. Nothing is sent while mu is held: unlock does that.

	cfg           *settings
	id            muxframe.ID
	secret        secret.Secret
	origin        origin        // the dialler or the Listener
	resumeTimeout time.Duration // how long it may be disconnected; 0: no limit

	mu   sync.Mutex
	core *muxsession.Session // the messages
	link
	ending
	wakes
	accepting
	pingers     waitList // goroutines in Ping
	notices     *notices // nil while there are none
	names       autoNames
	resumable   bool // both sides support it; it never changes
	idle        idleTime
	countedHeld int64 // the bytes that the Listener has counted while there is no connection
}

// newSession returns a new session without a connection.
func newSession(cfg *settings, id muxframe.ID, secret secret.Secret, theirs muxframe.Limits, both muxframe.Features, dialled bool) *Session {
	s := &Session{
		cfg: cfg, id: id, secret: secret, origin: noOrigin{}, resumable: both&muxframe.CanResume != 0,
		resumeTimeout: cfg.resumeTimeout(theirs),
	}
	s.core = muxsession.New(muxsession.Config{Dialler: dialled, Watcher: s.watcher(), Theirs: theirs, Settings: &cfg.core})
	return s
}

// memory is the buffer pool as a muxsession.Memory.
type memory struct{}

func (memory) Get(size int) []byte { return bufpool.Get(size) }
func (memory) Put(b []byte)        { bufpool.Put(b) }

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
	return s.endpointsLocked()
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
	return s.doneLocked()
}

// Err returns nil until the session has ended, and then an *EndError.
func (s *Session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
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
		if err := s.awaitLocked(ctx, &s.pingers, nil); err != nil {
			return 0, err
		}
	}
}
