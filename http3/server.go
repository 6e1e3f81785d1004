package http3

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/server"
)

// Host is a server that HTTP/3 is added to: a *server.Server or a *nethttp.Server. Serve returns an error for any other.
type Host interface {
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// Config holds the settings of HTTP/3 that the server itself does not have. A zero field means the documented default.
type Config struct {
	// MaxConcurrentStreams is how many requests a client may have open at once; default 100. Bidirectional streams of sessions of
	// WebTransport count as well, and as many unidirectional ones may be open besides.
	MaxConcurrentStreams int

	StreamWindow int // most bytes of one body that are received and not yet read; default 1 MiB
	ConnWindow   int // the same for all bodies of a connection together; default 2 MiB

	// Budget is how much work without progress a client may cause before its connection ends with H3_EXCESSIVE_LOAD, in units;
	// default 900, a negative value is no limit.
	Budget int32

	// RetryAbove is how many handshakes may be under way before further clients have to prove their addresses first (Retry, RFC
	// 9000 §8.1.2), which costs them a round trip; default 200, a negative value is never.
	RetryAbove int

	// AltPort is the port of UDP that clients of HTTP/1.1 and HTTP/2 are told to use (Alt-Svc, RFC 7838), for where another one than
	// the server's own is seen from outside; default the port of the socket. With a negative one nothing is told. AltMaxAge is for how
	// long clients remember it; default a day.
	AltPort   int
	AltMaxAge time.Duration

	// EarlyData lets clients that come back send requests with safe methods before the handshake is complete (0-RTT, RFC 8470).
	// They might be replayed. Handlers see the field Early-Data. Other requests wait for the handshake.
	EarlyData bool

	// WebTransportSessions is how many sessions of WebTransport a client may have open at once on a connection; see package webtransport.
	// Default 0: they are not offered.
	WebTransportSessions int

	// SilentTimeout is how long a client may send nothing at all, not even acknowledgements; default 2 minutes. A client that only has
	// no requests is left alone for the server's IdleTimeout.
	SilentTimeout time.Duration

	// SharedPort lets several processes serve one port; nil is none. Linux only: elsewhere Serve returns an error.
	SharedPort *SharedPort
}

// withDefaults returns cfg with every zero field replaced by its default.
func (cfg Config) withDefaults() Config {
	cfg.MaxConcurrentStreams = cmp.Or(cfg.MaxConcurrentStreams, 100)
	cfg.StreamWindow = cmp.Or(cfg.StreamWindow, 1<<20)
	cfg.ConnWindow = cmp.Or(cfg.ConnWindow, 2<<20)
	cfg.Budget = cmp.Or(cfg.Budget, defaultBudget)
	cfg.RetryAbove = cmp.Or(cfg.RetryAbove, 200)
	cfg.AltMaxAge = cmp.Or(cfg.AltMaxAge, 24*time.Hour)
	cfg.SilentTimeout = cmp.Or(cfg.SilentTimeout, 2*time.Minute)
	return cfg
}

// Server serves a Host over HTTP/3, on any number of sockets. Its methods are safe for concurrent use. It is shut down and closed
// with its Host, whose Shutdown, Close and Stats include it.
type Server struct {
	cfg   Config
	host  Host
	clock *clock.Clock

	streams sync.Pool // of *stream

	mu        sync.Mutex
	listeners []*quicListener
	conns     map[*conn]struct{}
	alive     int           // how many of conns have not ended; of others handlers still run
	alone     int           // how many of conns Shutdown does not wait for
	changed   chan struct{} // closed and made anew when conns or alive shrinks or alone grows
	draining  atomic.Bool

	bufferNote sync.Once

	joining  sync.Once
	joinErr  error
	carrier  carrier.Host // nil before Serve
	settings *carrier.Settings

	underWay atomic.Int64 // handshakes
	open     atomic.Int64 // connections, with those whose handshake is under way
	accepted atomic.Int64
	slow     atomic.Int64
	panics   atomic.Int64 // of hooks
	sent     atomic.Int64 // by connections that have ended
	received atomic.Int64 // likewise
	passedOn atomic.Int64
}

// NewServer returns a server for h. It does not listen yet.
func NewServer(h Host, cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), host: h, clock: clock.New(), conns: map[*conn]struct{}{}, changed: make(chan struct{})}
	s.streams.New = func() any { return newStream(s) }
	return s
}

// ListenAndServe listens on addr, "host:port" of UDP, and serves. With Config.SharedPort other processes may listen there as well. See
// Serve.
func (s *Server) ListenAndServe(addr, certFile, keyFile string) error {
	listen := func(addr string) (net.PacketConn, error) { return net.ListenPacket("udp", addr) }
	if s.cfg.SharedPort != nil {
		listen = listenShared
	}
	pc, err := listen(addr)
	if err != nil {
		return err
	}
	defer pc.Close()
	return s.Serve(pc, certFile, keyFile)
}

// Serve accepts connections on pc and serves them. The files are those of server.Server's ServeTLS: without them, the host's
// TLSConfig has the certificate. It returns when pc fails, or with server.ErrServerClosed after Shutdown or Close of the host, when all
// connections have ended, if not all handlers; the error is never nil. Serve does not close pc, and pc must not be used by others until
// Serve has returned. With Config.SharedPort pc must be a *net.UDPConn with the option SO_REUSEPORT.
func (s *Server) Serve(pc net.PacketConn, certFile, keyFile string) error {
	cfg, err := s.begin(certFile, keyFile)
	if err != nil {
		return err
	}
	from, identity, onStop := pc, (*quicIdentity)(nil), (func())(nil)
	if s.cfg.SharedPort != nil {
		shared, err := openSharedPort(s.cfg.SharedPort, pc, &s.passedOn)
		if err != nil {
			return err
		}
		defer shared.close()
		from, identity, onStop = shared.packetConn(), shared.identity, shared.drain
		shared.tickets.useForAll(cfg)
	}
	l, err := listenQUIC(from, cfg, s.limits(), quicHooks{retry: s.mustRetry, begin: s.connBegins}, identity)
	if err != nil {
		return err
	}
	l.onStop = onStop
	if !s.add(l) {
		l.close()
		return server.ErrServerClosed
	}
	defer l.close()
	s.bufferNote.Do(func() { noteBuffer(pc, s.settings.Log) })
	at := s.carrier.Listening(&listener{pc})
	s.advertise(pc.LocalAddr())
	defer s.carrier.Advertise("")
	for {
		c, err := l.accept()
		if err != nil {
			if s.draining.Load() || isClosedListener(err) {
				s.await(context.Background(), func() bool { return s.alive == 0 })
				return server.ErrServerClosed
			}
			return err
		}
		s.accepted.Add(1)
		go s.serve(c, at)
	}
}

// begin joins the host, the first time, and returns the configuration of TLS.
func (s *Server) begin(certFile, keyFile string) (*tls.Config, error) {
	s.joining.Do(func() {
		if s.carrier, s.joinErr = facelink.Carry(s.host, s); s.joinErr == nil {
			s.settings = s.carrier.Settings()
		}
	})
	if s.joinErr != nil {
		return nil, s.joinErr
	}
	if s.cfg.WebTransportSessions > 0 && !s.settings.ExtendedConnect {
		return nil, errNoExtendedConnect
	}
	cfg, err := s.carrier.TLS(certFile, keyFile)
	if err != nil {
		return nil, err
	}
	cfg.NextProtos = []string{"h3"}
	cfg.MinVersion = tls.VersionTLS13
	if choose := cfg.GetConfigForClient; choose != nil {
		cfg.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			own, err := choose(hello)
			if own != nil {
				own = own.Clone()
				own.NextProtos = []string{"h3"}
			}
			return own, err
		}
	}
	return cfg, nil
}

// errNoExtendedConnect is a contradiction between two settings.
var errNoExtendedConnect = errors.New("http3: WebTransportSessions needs extended CONNECT, which the server's HTTP2.DisableExtendedConnect has switched off")

// advertise tells the clients of other versions about the socket at addr.
func (s *Server) advertise(addr net.Addr) {
	port := s.cfg.AltPort
	if udp, ok := addr.(*net.UDPAddr); ok && port == 0 {
		port = udp.Port
	}
	if port > 0 {
		s.carrier.Advertise(fmt.Sprintf(`h3=":%d"; ma=%d`, port, int64(s.cfg.AltMaxAge/time.Second)))
	}
}

// limits returns the limits of connections.
func (s *Server) limits() quicLimits {
	lim := quicLimits{
		handshake: s.settings.HandshakeTimeout, idle: s.cfg.SilentTimeout,
		streams:      int64(s.cfg.MaxConcurrentStreams) + 1, // the credit of one that has ended is always held back: see admit
		uniStreams:   maxUniStreams,
		streamWindow: uint64(s.cfg.StreamWindow), connWindow: uint64(s.cfg.ConnWindow), early: s.cfg.EarlyData,
	}
	if s.cfg.WebTransportSessions > 0 {
		lim.sessions = true
		lim.uniStreams += int64(s.cfg.MaxConcurrentStreams)
	}
	if lim.handshake <= 0 {
		lim.handshake = time.Hour
	}
	return lim
}

// maxUniStreams is how many unidirectional streams a client may have open: its control stream, two of QPACK, and a few of types
// that we do not know.
const maxUniStreams = 10

// mustRetry reports whether a new client has to prove its address.
func (s *Server) mustRetry() bool {
	return s.cfg.RetryAbove >= 0 && s.underWay.Load() >= int64(s.cfg.RetryAbove)
}

// connBegins counts a connection that begins, until ctx ends. handshaken is to be called when its handshake is complete. It is nil
// if there are too many connections.
func (s *Server) connBegins(ctx context.Context) (handshaken func()) {
	if n := s.open.Add(1); s.settings.MaxConns > 0 && n > int64(s.settings.MaxConns) {
		s.open.Add(-1)
		return nil
	}
	s.underWay.Add(1)
	handshaken = sync.OnceFunc(func() { s.underWay.Add(-1) })
	context.AfterFunc(ctx, func() {
		s.open.Add(-1)
		handshaken()
	})
	return handshaken
}

// add adds a listener. It returns false if the server is shutting down.
func (s *Server) add(l *quicListener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining.Load() {
		return false
	}
	s.listeners = append(s.listeners, l)
	return true
}

// all returns the connections that are open at this moment.
func (s *Server) all() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*conn, 0, len(s.conns))
	for k := range s.conns {
		all = append(all, k)
	}
	return all
}

// StopAccepting implements carrier.Carrier; it is not for programs, which shut the host down.
func (s *Server) StopAccepting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draining.Store(true)
	for _, l := range s.listeners {
		l.stopAccepting()
	}
	s.listeners = nil
}

// Shutdown implements carrier.Carrier; it is not for programs, which shut the host down.
func (s *Server) Shutdown(ctx context.Context) error {
	s.StopAccepting()
	for _, k := range s.all() {
		go k.drain()
	}
	return s.await(ctx, func() bool { return len(s.conns) == s.alone })
}

// await waits until over, which is called with the lock held, returns true.
func (s *Server) await(ctx context.Context, over func() bool) error {
	for {
		s.mu.Lock()
		done, changed := over(), s.changed
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// CloseConnections implements carrier.Carrier; it is not for programs, which close the host.
func (s *Server) CloseConnections() {
	for _, k := range s.all() {
		k.fail(errClosing)
	}
}

// errClosing ends connections at Close.
var errClosing = errors.New("http3: the server is closed")

// Stats implements carrier.Carrier: the host's Stats include these.
func (s *Server) Stats() netconn.Stats {
	n := netconn.Stats{Accepted: s.accepted.Load(), Slow: s.slow.Load(), Panics: s.panics.Load(), BytesIn: s.received.Load(), BytesOut: s.sent.Load()}
	for _, k := range s.all() {
		t := k.qc.traffic()
		n.BytesIn += t.received
		n.BytesOut += t.sent
		n.Open++
		n.Active++
	}
	return n
}

// PassedOn returns how many packets of other processes' connections have arrived so far and were passed on to them: see SharedPort.
func (s *Server) PassedOn() int64 { return s.passedOn.Load() }
