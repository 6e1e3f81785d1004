package http3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http3/internal/quicconn"
	"github.com/shockwave-go/shockwave/http3/internal/serverconn"
	"github.com/shockwave-go/shockwave/http3/internal/sharedport"
	"github.com/shockwave-go/shockwave/http3/internal/udp"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/server"
)

// Host is a server that HTTP/3 is added to: a *server.Server or a *nethttp.Server. Serve returns an error for any other.
type Host interface {
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// Server serves a Host over HTTP/3, on any number of sockets. Its methods are safe for concurrent use. It is shut down and closed
// with its Host, whose Shutdown, Close and Stats include it.
type Server struct {
	cfg   Config
	host  Host
	conns *serverconn.Group

	mu        sync.Mutex
	listeners []*quicconn.Listener
	stopped   bool // there are to be no more

	bufferNote sync.Once

	joining  sync.Once
	joinErr  error
	carrier  carrier.Host // nil before Serve
	settings *carrier.Settings

	handshakes atomic.Int64 // under way
	open       atomic.Int64 // connections, with those whose handshake is under way
	accepted   atomic.Int64
	forwarded  atomic.Int64
}

// NewServer returns a server for h. It does not listen yet.
func NewServer(h Host, cfg Config) *Server {
	cfg = cfg.withDefaults()
	return &Server{cfg: cfg, host: h, conns: serverconn.NewGroup(serverconn.Config{
		Budget: cfg.Budget, Sessions: cfg.WebTransportSessions, ResetBy: resetByClient,
	})}
}

// ListenAndServe listens on addr, "host:port" of UDP, and serves. With Config.SharedPort other processes may listen there as well. See
// Serve.
func (s *Server) ListenAndServe(addr, certFile, keyFile string) error {
	listen := func(addr string) (net.PacketConn, error) { return net.ListenPacket("udp", addr) }
	if s.cfg.SharedPort != nil {
		listen = sharedport.Listen
	}
	pc, err := listen(addr)
	if err != nil {
		return err
	}
	defer pc.Close()
	return s.Serve(pc, certFile, keyFile)
}

// Serve accepts connections on pc and serves them. The files are those of server.Server's ServeTLS: without them, the host's TLSConfig
// has the certificate. It returns when pc fails, or with server.ErrServerClosed after Shutdown or Close, when all connections have ended,
// though some handlers may still run; the error is never nil. Serve does not close pc, and pc must not be used by others until Serve has
// returned. With Config.SharedPort pc must be a *net.UDPConn with the option SO_REUSEPORT.
func (s *Server) Serve(pc net.PacketConn, certFile, keyFile string) error {
	cfg, err := s.begin(certFile, keyFile)
	if err != nil {
		return err
	}
	from, hooks, identity := pc, quicconn.Hooks{Retry: s.mustRetry, Begin: s.connBegins}, quicconn.Identity(nil)
	if p := s.cfg.SharedPort; p != nil {
		shared, err := sharedport.Open(sharedport.Config(*p), pc, &s.forwarded)
		if err != nil {
			return err
		}
		defer shared.Close()
		from, identity, hooks.Stop = shared.PacketConn(), shared.Identity, shared.Drain
		shared.Tickets.UseForAll(cfg)
	}
	l, err := quicconn.Listen(from, cfg, s.limits(), hooks, identity)
	if err != nil {
		return err
	}
	if !s.add(l) {
		l.Close()
		return server.ErrServerClosed
	}
	defer l.Close()
	s.bufferNote.Do(func() { udp.NoteBuffer(pc, s.settings.Log) })
	at := s.carrier.Listening(quicconn.NetListener(pc))
	s.advertise(pc.LocalAddr())
	defer s.carrier.Advertise("")
	for {
		c, err := l.Accept()
		if err != nil {
			if s.isStopped() || quicconn.IsClosedListener(err) {
				s.conns.AwaitEnd()
				return server.ErrServerClosed
			}
			return err
		}
		s.accepted.Add(1)
		go s.conns.Serve(c, at)
	}
}

// begin joins the host if it has not joined yet, and returns the configuration of TLS.
func (s *Server) begin(certFile, keyFile string) (*tls.Config, error) {
	s.joining.Do(func() {
		if s.carrier, s.joinErr = facelink.Carry(s.host, (*carried)(s)); s.joinErr == nil {
			s.settings = s.carrier.Settings()
			s.conns.Join(s.carrier)
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

// errNoExtendedConnect says that two settings contradict each other.
var errNoExtendedConnect = errors.New("http3: WebTransportSessions needs extended CONNECT, which the server's HTTP2.DisableExtendedConnect disables")

// advertise tells the clients of other versions about the socket at addr.
func (s *Server) advertise(addr net.Addr) {
	port := s.cfg.AltSvcPort
	if udp, ok := addr.(*net.UDPAddr); ok && port == 0 {
		port = udp.Port
	}
	if port > 0 {
		s.carrier.Advertise(fmt.Sprintf(`h3=":%d"; ma=%d`, port, int64(s.cfg.AltSvcMaxAge/time.Second)))
	}
}

// limits returns the limits of connections.
func (s *Server) limits() quicconn.Limits {
	lim := quicconn.Limits{
		Handshake: s.settings.HandshakeTimeout, Idle: s.cfg.MaxIdleTimeout,
		Streams:      int64(s.cfg.MaxConcurrentStreams) + 1, // the credit of one that has ended is held back until the next response
		UniStreams:   quicconn.MaxUniStreams,
		StreamWindow: uint64(s.cfg.StreamWindow), ConnWindow: uint64(s.cfg.ConnWindow), Early: s.cfg.EarlyData,
	}
	if s.cfg.WebTransportSessions > 0 {
		lim.Sessions = true
		lim.UniStreams += int64(s.cfg.MaxConcurrentStreams)
	}
	if lim.Handshake <= 0 {
		lim.Handshake = time.Hour
	}
	return lim
}

// mustRetry reports whether a new client has to prove its address.
func (s *Server) mustRetry() bool {
	most := s.cfg.MaxUnvalidatedHandshakes
	return most >= 0 && s.handshakes.Load() >= int64(most)
}

// connBegins counts a new connection until ctx ends. handshaken is to be called when its handshake is complete. It is nil
// if there are too many connections.
func (s *Server) connBegins(ctx context.Context) (handshaken func()) {
	if n := s.open.Add(1); s.settings.MaxConns > 0 && n > int64(s.settings.MaxConns) {
		s.open.Add(-1)
		return nil
	}
	s.handshakes.Add(1)
	handshaken = sync.OnceFunc(func() { s.handshakes.Add(-1) })
	context.AfterFunc(ctx, func() {
		s.open.Add(-1)
		handshaken()
	})
	return handshaken
}

// add adds a listener. It returns false if the server is shutting down.
func (s *Server) add(l *quicconn.Listener) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return false
	}
	s.listeners = append(s.listeners, l)
	return true
}

// isStopped reports whether no more connections are accepted.
func (s *Server) isStopped() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stopped
}

// stopAccepting refuses new connections from now on.
func (s *Server) stopAccepting() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.conns.StopAccepting()
	for _, l := range s.listeners {
		l.StopAccepting()
	}
	s.listeners = nil
}

// Shutdown ends HTTP/3 alone: the host goes on, and its own Shutdown includes this one. New connections are refused, requests that have
// been sent get their responses, and the connections end when the responses have arrived. Sessions of WebTransport and other streams that
// handlers have taken over are not waited for. It returns when that is done, or ctx's error. The Server cannot serve again.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopAccepting()
	return s.conns.Shutdown(ctx)
}

// Close ends HTTP/3 alone, at once: the host goes on, and its own Close includes this one. Requests in progress fail. The Server cannot
// serve again. The error is nil.
func (s *Server) Close() error {
	s.stopAccepting()
	s.conns.Close()
	return nil
}

// resetByClient returns the error of a stream that the client has reset with a code.
func resetByClient(code h3frame.Code) error { return &StreamError{Code: uint64(code)} }
