package nethttp

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"log"
	"log/slog"
	"net"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// Server serves HTTP to a net/http handler; its fields are named as http.Server's. The zero value is a valid server.
// The fields must not be changed once it has begun to serve, except for Handler, which is read for every request. All
// methods may be called concurrently.
//
// A zero ReadHeaderTimeout, IdleTimeout or MaxHeaderBytes is a safe default, a negative one is none. Everything that
// differs from http.Server is [written down].
//
// [written down]: https://github.com/shockwave-go/shockwave/blob/main/docs/nethttp.md
type Server struct {
	Addr    string       // for ListenAndServe; ":http" if empty, ":https" with TLS
	Handler http.Handler // http.DefaultServeMux if nil

	// DisableGeneralOptionsHandler gives "OPTIONS *" to Handler; otherwise it is answered 200 without a body.
	DisableGeneralOptionsHandler bool

	TLSConfig *tls.Config // for ServeTLS and ListenAndServeTLS; a copy is used

	// Protocols are the versions of HTTP that are spoken; nil is HTTP/1 and HTTP/2, over TLS and without. A TLSNextProto
	// that is not nil rules our HTTP/2 over TLS out, as in net/http.
	Protocols *http.Protocols
	HTTP2     *http.HTTP2Config
	// TLSNextProto has functions that take connections over on which TLS has negotiated another protocol, by its name,
	// which TLSConfig.NextProtos must have. golang.org/x/net/http2.ConfigureServer sets one for HTTP/2, on an http.Server
	// for FromServer.
	TLSNextProto map[string]func(*http.Server, *tls.Conn, http.Handler)

	ReadTimeout       time.Duration // of a body, from the end of its head; default none
	ReadHeaderTimeout time.Duration // from a head's first byte to its end; default 10 s, or a shorter ReadTimeout
	WriteTimeout      time.Duration // from the end of a head to the end of its answer; default none
	IdleTimeout       time.Duration // between requests; default ReadTimeout, else 60 s
	MaxHeaderBytes    int           // request line and fields; default 64 KiB; 431 beyond
	// FirstGrace is how long a connection that has sent nothing yet has for its first request when Shutdown is called;
	// default 5 s, which is net/http's.
	FirstGrace time.Duration

	// ConnState, if set, is called for every change of a connection's state. With it, or with ConnContext, connections
	// run on a serve loop that costs a little more: a hook may do with its net.Conn what it likes.
	ConnState func(net.Conn, http.ConnState)

	ErrorLog *log.Logger  // default: the log package's standard logger
	Logger   *slog.Logger // if set, used instead of ErrorLog

	// BaseContext, if set, returns the context that every request of a listener inherits.
	BaseContext func(net.Listener) context.Context
	// ConnContext, if set, returns the context for a new connection; ctx is BaseContext's with an
	// http.ServerContextKey.
	ConnContext func(ctx context.Context, c net.Conn) context.Context

	panics       atomic.Int64 // of handlers; the native server sees them as aborts
	down         atomic.Bool  // Shutdown or Close was called
	stdFirst     atomic.Bool  // std's was, before ours: what is registered with it has been called
	mu           sync.Mutex
	std          *http.Server   // what http.ServerContextKey holds; it serves nothing
	keepAliveOff *atomic.Bool   // std's
	stdDown      *atomic.Bool   // std's: its Shutdown or Close was called
	base         *setting       // of listeners without BaseContext
	native       *server.Server // made when first needed

	guests      guests
	takenLog    *log.Logger     // FromServer's: std's ErrorLog when it was last taken
	given       bool            // std is FromServer's and has its settings
	seen        []reflect.Value // FromServer's: std's shared fields when they were last taken
	toldChanges atomic.Bool     // the log knows of later ones
}

// ListenAndServe listens on the TCP address addr and serves h, http.DefaultServeMux if nil. It never returns nil.
func ListenAndServe(addr string, h http.Handler) error {
	s := &Server{Addr: addr, Handler: h}
	return s.ListenAndServe()
}

// ListenAndServeTLS is ListenAndServe over TLS with a certificate and key from PEM files.
func ListenAndServeTLS(addr, certFile, keyFile string, h http.Handler) error {
	s := &Server{Addr: addr, Handler: h}
	return s.ListenAndServeTLS(certFile, keyFile)
}

// Serve accepts connections from l and serves h, http.DefaultServeMux if nil. It closes l and never returns nil.
func Serve(l net.Listener, h http.Handler) error {
	s := &Server{Handler: h}
	return s.Serve(l)
}

// ServeTLS is Serve over TLS with a certificate and key from PEM files.
func ServeTLS(l net.Listener, h http.Handler, certFile, keyFile string) error {
	s := &Server{Handler: h}
	return s.ServeTLS(l, certFile, keyFile)
}

// ListenAndServe listens on Addr and serves. It returns http.ErrServerClosed after Shutdown or Close, never nil.
func (s *Server) ListenAndServe() error {
	l, err := s.listen(":http")
	if err != nil {
		return err
	}
	return s.Serve(l)
}

// ListenAndServeTLS is ListenAndServe over TLS. The files are read again when they change; both are "" if TLSConfig
// has the certificates.
func (s *Server) ListenAndServeTLS(certFile, keyFile string) error {
	l, err := s.listen(":https")
	if err != nil {
		return err
	}
	return s.ServeTLS(l, certFile, keyFile)
}

func (s *Server) listen(fallback string) (net.Listener, error) {
	addr := s.Addr
	if addr == "" {
		addr = fallback
	}
	return server.Listen(addr)
}

// Serve accepts connections from l. It closes l and returns http.ErrServerClosed after Shutdown or Close, never nil.
func (s *Server) Serve(l net.Listener) error {
	native, err := s.ready(l)
	if err != nil {
		return err
	}
	return native.Serve(s.withBase(l))
}

// ServeTLS is Serve over TLS, with the files of ListenAndServeTLS.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	native, err := s.ready(l)
	if err != nil {
		return err
	}
	return native.ServeTLS(s.withBase(l), certFile, keyFile)
}

// ready returns the native server to serve l with, or closes l.
func (s *Server) ready(l net.Listener) (*server.Server, error) {
	native := s.start()
	s.noticeChanges()
	if err := s.checkProtocols(); err != nil {
		l.Close()
		return nil, err
	}
	return native, nil
}

// Shutdown stops listening, ends idle connections and waits until the others have finished or ctx ends. A connection
// that has sent nothing yet has FirstGrace for its first request. The functions of RegisterOnShutdown are called
// when the listeners have been closed, each on a goroutine of its own.
func (s *Server) Shutdown(ctx context.Context) error {
	native := s.start()
	s.down.Store(true)
	err := native.Shutdown(ctx)
	return cmp.Or(err, s.guests.wait(ctx))
}

// Close stops listening and ends every connection at once, except for hijacked ones.
func (s *Server) Close() error {
	native := s.start()
	s.down.Store(true)
	s.guests.end(true)
	return errors.Join(s.std.Close(), native.Close())
}

// CloseConnections ends the connections of this moment as Close does, and goes on listening: for tests of clients, and
// to have them all connect anew.
func (s *Server) CloseConnections() {
	s.start().CloseConnections()
	s.guests.end(false)
}

// RegisterOnShutdown has f called when Shutdown is: to tell hijacked connections, which Shutdown does not know. f is not
// waited for.
func (s *Server) RegisterOnShutdown(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standard().RegisterOnShutdown(f)
}

// SetKeepAlivesEnabled reports whether connections are kept for further requests, from the next answer on. They are,
// unless it was called with false.
func (s *Server) SetKeepAlivesEnabled(v bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standard().SetKeepAlivesEnabled(v)
	s.keepAliveOff.Store(!v) // the same again, unless this Go's http.Server is of another make
}

// keepAlivesOff reports whether answers must end their connection. s may be nil.
func (s *Server) keepAlivesOff() bool { return s != nil && (s.keepAliveOff.Load() || s.stdDown.Load()) }

// Stats returns the server's counters as they are now.
func (s *Server) Stats() server.Stats {
	s.mu.Lock()
	native := s.native
	s.mu.Unlock()
	if native == nil {
		return server.Stats{}
	}
	stats := native.Stats()
	stats.Panics += s.panics.Load()
	return stats
}
