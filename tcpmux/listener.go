package tcpmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
)

// Listener accepts sessions. All methods may be called concurrently.
type Listener struct {
	cfg    *settings
	ln     net.Listener
	engine *netconn.Engine
	served chan struct{} // closed when the accept loop has ended

	mu             sync.Mutex // may be locked while a session's mu is held
	sessions       map[muxframe.ID]*Session
	closedSessions map[muxframe.ID]uint64 // closed in order; how much was received, for a peer that resumes
	closedOrder    []muxframe.ID          // keys of closedSessions, the oldest first
	waiting        []*Session             // disconnected sessions, the longest disconnected first
	unaccepted     []*Session             // sessions that Accept has not returned yet
	acceptReady    chan struct{}          // capacity 1: unaccepted is not empty, or closing
	closing        bool
	refusals       int64
	accepted       int64

	heldBytes atomic.Int64 // bytes held by disconnected sessions
	evicting  atomic.Bool  // evict is about to run
}

// Listen returns a Listener for sessions. url is tcp://HOST:PORT or tls://HOST:PORT; tls needs Config.TLSConfig. Port 0 picks a
// free port.
func Listen(url string, cfg Config) (*Listener, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	if a.secure && cfg.TLSConfig == nil {
		return nil, fmt.Errorf("tcpmux: %q: Config.TLSConfig is needed", url)
	}
	ln, err := netconn.Listen(net.JoinHostPort(a.host, a.port))
	if err != nil {
		return nil, fmt.Errorf("tcpmux: %w", err)
	}
	if !a.secure {
		cfg.TLSConfig = nil
	}
	return NewListener(ln, cfg), nil
}

// NewListener is Listen on an existing listener, which the Listener then owns. With Config.TLSConfig its connections speak TLS.
func NewListener(ln net.Listener, cfg Config) *Listener {
	l := &Listener{
		cfg: cfg.settings(), ln: ln, served: make(chan struct{}), sessions: map[muxframe.ID]*Session{},
		closedSessions: map[muxframe.ID]uint64{}, acceptReady: make(chan struct{}, 1),
	}
	l.engine = newEngine(l.cfg, func(nc *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		g := &greeter{l: l, nc: nc}
		if l.cfg.HandshakeTimeout > 0 {
			nc.SetAlarm(l.cfg.HandshakeTimeout)
		}
		return g, nil
	}, func(nc net.Conn, err error) { l.refused(nc.RemoteAddr(), err) })
	go func() {
		defer close(l.served)
		err := l.engine.Serve(ln, l.cfg.TLSConfig)
		if err != netconn.ErrShutdown && !errors.Is(err, net.ErrClosed) {
			l.cfg.Logger.Error("a listener has failed", "address", ln.Addr(), "error", err)
		}
	}()
	return l
}

// readBuffer is the size of a read buffer: a piece of a large message, or many small ones. Idle connections have none.
const readBuffer = 16 << 10

// idlePark is the silence after which a connection gives up its goroutine. There are many sessions that talk now and then,
// and the memory that a goroutine leaves behind outweighs the time that the next message takes to wake the connection.
const idlePark = 250 * time.Millisecond

// newEngine returns an engine for the connections of sessions. Its own idle and rate timeouts are off: sessions watch for
// silent and slow peers themselves.
func newEngine(cfg *settings, begin func(*netconn.Conn, net.Listener) (netconn.Protocol, error), failed func(net.Conn, error)) *netconn.Engine {
	return netconn.New(netconn.Config{
		New: begin, ReadBuffer: readBuffer, WriteBuffer: flight, OnHandshakeError: failed, IdleTimeout: -1, FirstGrace: -1,
		IdlePark: idlePark, MessageTimeout: -1, MinReadRate: -1, MinWriteRate: -1, WriteTimeout: cfg.stallTimeout(),
		HandshakeTimeout: cmp.Or(cfg.HandshakeTimeout, -1), Logger: cfg.Logger,
	})
}

// refused counts a refused connection and calls Config.OnRefused.
func (l *Listener) refused(remote net.Addr, err error) {
	l.mu.Lock()
	l.refusals++
	l.mu.Unlock()
	if f := l.cfg.OnRefused; f != nil {
		f(remote, err)
	}
}

// Accept waits for the next session. One that has ended meanwhile is passed over unless it has channels to accept. The error
// is ctx's, or ErrClosed after Shutdown or Close.
func (l *Listener) Accept(ctx context.Context) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for {
		l.mu.Lock()
		if len(l.unaccepted) > 0 {
			s := l.unaccepted[0]
			l.unaccepted[0] = nil // do not keep the session alive
			l.unaccepted = l.unaccepted[1:]
			l.signalAcceptLocked()
			l.mu.Unlock()
			return s, nil
		}
		if l.closing {
			l.signalAcceptLocked()
			l.mu.Unlock()
			return nil, ErrClosed
		}
		l.mu.Unlock()
		select {
		case <-l.acceptReady:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// signalAcceptLocked wakes one waiting Accept if there is a session for it or the listener is closing.
func (l *Listener) signalAcceptLocked() {
	if len(l.unaccepted) == 0 && !l.closing {
		return
	}
	select {
	case l.acceptReady <- struct{}{}:
	default:
	}
}

// Addr returns the address of the listener.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Sessions returns the current sessions, in no order.
func (l *Listener) Sessions() []*Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*Session, 0, len(l.sessions))
	for _, s := range l.sessions {
		all = append(all, s)
	}
	return all
}

// add adds s to the listener's sessions. The error is a *refusalError.
func (l *Listener) add(s *Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closing:
		return refuse(muxframe.RefusedClosing)
	case l.cfg.MaxSessions > 0 && len(l.sessions) >= l.cfg.MaxSessions:
		return refuse(muxframe.RefusedFull)
	}
	l.sessions[s.id] = s
	l.accepted++
	return nil
}

// announce queues s for Accept, unless it has ended.
func (l *Listener) announce(s *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.end != nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unaccepted = append(l.unaccepted, s)
	l.signalAcceptLocked()
}

// find returns the session with the given id. If it has ended, the error is a *refusalError; for a session that was closed
// in order it says how much was received.
func (l *Listener) find(id muxframe.ID) (*Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[id]; s != nil {
		return s, nil
	}
	if n, ok := l.closedSessions[id]; ok {
		return nil, &refusalError{muxframe.Greeting{Code: muxframe.RefusedOver, Received: n}}
	}
	return nil, refuse(muxframe.RefusedUnknown)
}

// maxClosedKept is how many sessions that were closed in order are remembered.
const maxClosedKept = 1024

// endedLocked implements origin: it removes a session that has ended.
func (l *Listener) endedLocked(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, s.id)
	l.unlistWaitingLocked(s)
	if s.arrivals.waiting() == 0 {
		l.unaccepted = slices.DeleteFunc(l.unaccepted, func(x *Session) bool { return x == s })
	}
	if s.end.Err == nil && s.resumable {
		if len(l.closedOrder) == maxClosedKept {
			delete(l.closedSessions, l.closedOrder[0])
			l.closedOrder = l.closedOrder[1:]
		}
		l.closedSessions[s.id] = s.core.Received()
		l.closedOrder = append(l.closedOrder, s.id)
	}
}

// Shutdown stops listening and closes all sessions as Session.Shutdown does. Disconnected sessions can still be resumed within
// Config.Linger. It returns when all have ended. The error is ctx's if it was done before; then what was not delivered is
// lost.
func (l *Listener) Shutdown(ctx context.Context) error {
	l.stopAccepting()
	var all sync.WaitGroup
	for _, s := range l.Sessions() {
		all.Go(func() { _ = s.Shutdown(ctx) })
	}
	all.Wait()
	grace, cancel := context.WithTimeout(ctx, shutdownGrace)
	defer cancel()
	if l.engine.Shutdown(grace) != nil {
		_ = l.engine.Close()
	}
	<-l.served
	return ctx.Err()
}

// Close stops listening and ends all sessions at once, as Session.Close does. It returns nil.
func (l *Listener) Close() error {
	l.stopAccepting()
	for _, s := range l.Sessions() {
		_ = s.Close()
	}
	_ = l.engine.Close()
	<-l.served
	return nil
}

// stopAccepting refuses further sessions.
func (l *Listener) stopAccepting() {
	l.mu.Lock()
	l.closing = true
	l.signalAcceptLocked()
	l.mu.Unlock()
}

// shutdownGrace is how long the connections may take to end after their sessions have.
const shutdownGrace = 2 * time.Second
