package tcpmux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// Listener accepts sessions. All methods may be called concurrently.
type Listener struct {
	cfg    *settings
	ln     net.Listener
	engine *netconn.Engine
	served chan struct{} // closed when nothing is accepted any more

	mu       sync.Mutex // may be taken with a session's held
	sessions map[muxframe.ID]*Session
	over     map[muxframe.ID]uint64 // sessions that were closed in order, and how much was received: their peers may ask
	overs    []muxframe.ID          // the oldest first
	waiting  []*Session             // without connections, the longest first
	arrived  []*Session             // that nobody has accepted
	accepts  chan struct{}          // of one place: there are some, or the end
	closing  bool
	refusals uint64
	begun    uint64

	held     atomic.Int64 // bytes, by those that wait
	thinning atomic.Bool  // thin is to run
}

// Listen listens for sessions. url is tcp://HOST:PORT or tls://HOST:PORT, for which Config.TLS is needed; port 0 picks one.
func Listen(url string, cfg Config) (*Listener, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	if a.secure && cfg.TLS == nil {
		return nil, fmt.Errorf("tcpmux: %q: Config.TLS is needed", url)
	}
	ln, err := netconn.Listen(net.JoinHostPort(a.host, a.port))
	if err != nil {
		return nil, fmt.Errorf("tcpmux: %w", err)
	}
	if !a.secure {
		cfg.TLS = nil
	}
	return NewListener(ln, cfg), nil
}

// NewListener is Listen on a listener of the caller's, which becomes the Listener's. With Config.TLS its connections speak
// TLS.
func NewListener(ln net.Listener, cfg Config) *Listener {
	l := &Listener{
		cfg: cfg.settings(), ln: ln, served: make(chan struct{}), sessions: map[muxframe.ID]*Session{},
		over: map[muxframe.ID]uint64{}, accepts: make(chan struct{}, 1),
	}
	l.engine = newEngine(l.cfg, func(nc *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
		g := &greeter{l: l, nc: nc}
		if l.cfg.Handshake > 0 {
			nc.SetAlarm(l.cfg.Handshake)
		}
		return g, nil
	}, func(nc net.Conn, err error) { l.refused(nc.RemoteAddr(), err) })
	go func() {
		defer close(l.served)
		err := l.engine.Serve(ln, l.cfg.TLS)
		if err != netconn.ErrShutdown && !errors.Is(err, net.ErrClosed) {
			l.cfg.Logger.Error("a listener has failed", "address", ln.Addr(), "error", err)
		}
	}()
	return l
}

// readBuffer is what is received at a time: a piece of a large message, or many small ones. Who is idle has none.
const readBuffer = 16 << 10

// idlePark is after how long a silence a connection gives up its goroutine. Sessions are many and talk now and then: what a
// goroutine keeps, also when it has ended, is more than what the next message pays to wake the connection.
const idlePark = time.Second

// newEngine returns an engine for connections of sessions. What is silent or slow there is for the sessions to tell.
func newEngine(cfg *settings, begin func(*netconn.Conn, net.Listener) (netconn.Protocol, error), failed func(net.Conn, error)) *netconn.Engine {
	return netconn.New(netconn.Config{
		New: begin, ReadBuffer: readBuffer, WriteBuffer: flight, OnHandshakeError: failed, IdleTimeout: -1, FirstGrace: -1,
		IdlePark: idlePark, MessageTimeout: -1, MinReadRate: -1, MinWriteRate: -1, WriteTimeout: cfg.stalled(),
		HandshakeTimeout: cmp.Or(cfg.Handshake, -1), Logger: cfg.Logger,
	})
}

// refused tells Config.OnRefused.
func (l *Listener) refused(remote net.Addr, err error) {
	l.mu.Lock()
	l.refusals++
	l.mu.Unlock()
	if f := l.cfg.OnRefused; f != nil {
		f(remote, err)
	}
}

// Accept waits for the next session. The error is ctx's, or ErrClosed after Close.
func (l *Listener) Accept(ctx context.Context) (*Session, error) {
	for {
		l.mu.Lock()
		if len(l.arrived) > 0 {
			s := l.arrived[0]
			l.arrived[0] = nil // it is not held here any more
			l.arrived = l.arrived[1:]
			l.signal()
			l.mu.Unlock()
			return s, nil
		}
		if l.closing {
			l.signal()
			l.mu.Unlock()
			return nil, ErrClosed
		}
		l.mu.Unlock()
		select {
		case <-l.accepts:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// signal has somebody look who accepts, if there is something to see; l.mu is held.
func (l *Listener) signal() {
	if len(l.arrived) == 0 && !l.closing {
		return
	}
	select {
	case l.accepts <- struct{}{}:
	default:
	}
}

// Addr returns the address that is listened on.
func (l *Listener) Addr() net.Addr { return l.ln.Addr() }

// Sessions returns the sessions of this moment, in no order.
func (l *Listener) Sessions() []*Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]*Session, 0, len(l.sessions))
	for _, s := range l.sessions {
		all = append(all, s)
	}
	return all
}

// enter makes s a session of the listener.
func (l *Listener) enter(s *Session) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closing:
		return refuse(muxframe.RefusedClosing)
	case l.cfg.MaxSessions > 0 && len(l.sessions) >= l.cfg.MaxSessions:
		return refuse(muxframe.RefusedFull)
	}
	l.sessions[s.id] = s
	l.begun++
	return nil
}

// announce has Accept return s.
func (l *Listener) announce(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrived = append(l.arrived, s)
	l.signal()
}

// find returns the session with an id, or the refusal of who asks for one that has ended. Of one that was closed in order
// that says how much was received.
func (l *Listener) find(id muxframe.ID) (*Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sessions[id]; s != nil {
		return s, nil
	}
	if n, ok := l.over[id]; ok {
		return nil, &refusal{muxframe.Greeting{Code: muxframe.RefusedOver, Received: n}}
	}
	return nil, refuse(muxframe.RefusedUnknown)
}

// mostOver is how many sessions that were closed in order are remembered.
const mostOver = 1024

// forget takes a session out that has ended; its lock is held.
func (l *Listener) forget(s *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.sessions, s.id)
	l.unlist(s)
	if s.end.Err == nil && s.resumes {
		if len(l.overs) == mostOver {
			delete(l.over, l.overs[0])
			l.overs = l.overs[1:]
		}
		l.over[s.id] = s.core.Received()
		l.overs = append(l.overs, s.id)
	}
}

// Close ends listening and closes all sessions as Session.Close does; those that wait for their peers may still come back
// within Config.Linger.
func (l *Listener) Close(ctx context.Context) error {
	l.mu.Lock()
	l.closing = true
	l.signal()
	l.mu.Unlock()
	var all sync.WaitGroup
	for _, s := range l.Sessions() {
		all.Go(func() { s.Close(ctx) })
	}
	all.Wait()
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	if l.engine.Shutdown(ctx) != nil {
		_ = l.engine.Close()
	}
	<-l.served
	return nil
}

// lastWords is what the ends of connections may take when everything has been said.
const lastWords = 2 * time.Second
