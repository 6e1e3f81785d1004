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

// Server serves HTTP to a net/http handler. Its fields have the names of http.Server's. The zero value is a valid
// server. The fields must not be changed once the server has begun to serve, except for Handler, which is read for
// every request. All methods may be called concurrently.
//
// A zero ReadHeaderTimeout, IdleTimeout, MaxHeaderBytes, MaxHeadFields, MinReadRate, MinWriteRate or RateGrace means a
// safe default, a negative one means no limit. The last four are server.Config's, and not in http.Server. All differences from http.Server are [documented].
//
// [documented]: https://github.com/shockwave-go/shockwave/blob/main/docs/nethttp-differences.md
type Server struct {
	Addr    string       // for ListenAndServe; ":http" if empty, ":https" with TLS
	Handler http.Handler // http.DefaultServeMux if nil

	// DisableGeneralOptionsHandler passes "OPTIONS *" requests to Handler. Without it they get status 200 and
	// no body.
	DisableGeneralOptionsHandler bool

	TLSConfig *tls.Config // for ServeTLS and ListenAndServeTLS; a copy is used

	// Protocols is the set of HTTP versions to speak. Nil means HTTP/1 and HTTP/2, both over TLS and without TLS. As
	// in net/http, a non-nil TLSNextProto then turns off this package's HTTP/2 over TLS.
	Protocols *http.Protocols
	HTTP2     *http.HTTP2Config
	// HTTP2Budget is how much work without progress a client of HTTP/2 may cause before its connection ends; default 900, a
	// negative value is no limit. server.HTTP2Config.Budget says more.
	HTTP2Budget int32
	// DisableExtendedConnect keeps clients from opening WebSockets on streams of HTTP/2 (RFC 8441): browsers then use
	// connections of HTTP/1.1 for them. Handlers need not know about these streams: they see an upgrade of HTTP/1.1, whose
	// connection they can hijack. It is also disabled if HTTP2.MaxConcurrentStreams is 1.
	DisableExtendedConnect bool
	// TLSNextProto holds functions that serve a connection on which TLS has negotiated another protocol, by the
	// protocol's name. TLSConfig.NextProtos must list that name. golang.org/x/net/http2.ConfigureServer sets such a
	// function for HTTP/2; call it on the http.Server that is given to FromServer.
	TLSNextProto map[string]func(*http.Server, *tls.Conn, http.Handler)

	ReadTimeout       time.Duration // for the body, from the end of the head; default none
	ReadHeaderTimeout time.Duration // from the first byte of a head to its end; default 10 s, or ReadTimeout if that is shorter
	WriteTimeout      time.Duration // from the end of a request's head to the end of its response; default none
	IdleTimeout       time.Duration // between requests; default ReadTimeout, or 650 s if that is not set
	MaxHeaderBytes    int           // request line and fields; default 64 KiB; a longer head gets 431
	MaxHeadFields     int           // fields of a head; default 200, the cookies of HTTP/2 count as one; more get 431
	MinReadRate       int           // bytes per second of a body while the server waits for it; default 240
	MinWriteRate      int           // bytes per second of a response while the server waits for the client; default 240
	RateGrace         time.Duration // time over which MinReadRate is judged; MinWriteRate: 3 times that or more; default 5 s
	// FirstGrace is how long Shutdown waits for the first request of a connection that has not sent anything yet.
	// Default 5 s, as in net/http; negative means that it does not wait.
	FirstGrace time.Duration

	// ConnState, if set, is called for every change of a connection's state. If ConnState or ConnContext is set,
	// connections use a serve loop that costs a little more, because a hook may do anything with its net.Conn.
	ConnState func(net.Conn, http.ConnState)

	ErrorLog *log.Logger  // default: the log package's standard logger
	Logger   *slog.Logger // if set, used instead of ErrorLog

	// BaseContext, if set, returns the context from which the contexts of all requests on a listener are derived.
	BaseContext func(net.Listener) context.Context
	// ConnContext, if set, returns the context for a new connection. ctx is derived from BaseContext's and holds
	// http.ServerContextKey.
	ConnContext func(ctx context.Context, c net.Conn) context.Context

	panics       atomic.Int64 // of handlers; the native server counts them as aborts only
	down         atomic.Bool  // Shutdown or Close was called
	stdShutFirst atomic.Bool  // std was shut down or closed before s: functions registered with std have already run
	mu           sync.Mutex
	std          *http.Server   // the value of http.ServerContextKey; it serves nothing itself
	keepAliveOff *atomic.Bool   // std's flag, set by its SetKeepAlivesEnabled
	stdDown      *atomic.Bool   // std's flag, set by its Shutdown and Close
	base         *connInfo      // for listeners without BaseContext
	native       *server.Server // created by nativeServer

	nextProtoConns nextProtoConns
	seenErrorLog   *log.Logger     // with fromStd: std.ErrorLog when it was last copied
	fromStd        bool            // std was given to FromServer and has its own settings
	seen           []reflect.Value // with fromStd: the shared fields of std when they were last copied
	warnedChanges  atomic.Bool     // the log has said that later changes have no effect
}

// ListenAndServe listens on the TCP address addr and serves h, or http.DefaultServeMux if h is nil. It never returns
// nil.
func ListenAndServe(addr string, h http.Handler) error {
	s := &Server{Addr: addr, Handler: h}
	return s.ListenAndServe()
}

// ListenAndServeTLS is like ListenAndServe, over TLS with a certificate and key from PEM files.
func ListenAndServeTLS(addr, certFile, keyFile string, h http.Handler) error {
	s := &Server{Addr: addr, Handler: h}
	return s.ListenAndServeTLS(certFile, keyFile)
}

// Serve accepts connections from l and serves h, or http.DefaultServeMux if h is nil. It closes l and never returns
// nil.
func Serve(l net.Listener, h http.Handler) error {
	s := &Server{Handler: h}
	return s.Serve(l)
}

// ServeTLS is like Serve, over TLS with a certificate and key from PEM files.
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

// ListenAndServeTLS is like ListenAndServe, over TLS. The files are read again when they change; both names are empty
// if TLSConfig has the certificates.
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
	native, err := s.serverFor(l)
	if err != nil {
		return err
	}
	return native.Serve(s.withBase(l))
}

// ServeTLS is like Serve, over TLS with the files that ListenAndServeTLS takes.
func (s *Server) ServeTLS(l net.Listener, certFile, keyFile string) error {
	native, err := s.serverFor(l)
	if err != nil {
		return err
	}
	return native.ServeTLS(s.withBase(l), certFile, keyFile)
}

// serverFor returns the native server that is to serve l. If it fails, it closes l.
func (s *Server) serverFor(l net.Listener) (*server.Server, error) {
	native := s.nativeServer()
	s.warnOfLateChanges()
	if err := s.checkProtocols(); err != nil {
		l.Close()
		return nil, err
	}
	return native, nil
}

// Shutdown stops listening, closes idle connections and waits until the others have finished or ctx is done. A
// connection that has not sent anything yet has FirstGrace for its first request. The functions registered with
// RegisterOnShutdown are called after the listeners have been closed, each on its own goroutine.
func (s *Server) Shutdown(ctx context.Context) error {
	native := s.nativeServer()
	s.down.Store(true)
	err := native.Shutdown(ctx)
	return cmp.Or(err, s.nextProtoConns.wait(ctx))
}

// Close stops listening and closes every connection at once, except for hijacked ones.
func (s *Server) Close() error {
	native := s.nativeServer()
	s.down.Store(true)
	s.nextProtoConns.closeAll(true)
	return errors.Join(s.std.Close(), native.Close())
}

// CloseConnections closes all current connections as Close does, but goes on listening. It is meant for tests of
// clients, and for making all clients reconnect.
func (s *Server) CloseConnections() {
	s.nativeServer().CloseConnections()
	s.nextProtoConns.closeAll(false)
}

// RegisterOnShutdown registers f to be called by Shutdown, for example to notify hijacked connections, which Shutdown
// does not know about. Shutdown does not wait for f.
func (s *Server) RegisterOnShutdown(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standardLocked().RegisterOnShutdown(f)
}

// SetKeepAlivesEnabled sets whether connections are kept open for further requests, beginning with the next response.
// By default they are.
func (s *Server) SetKeepAlivesEnabled(v bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.standardLocked().SetKeepAlivesEnabled(v)
	s.keepAliveOff.Store(!v) // in case this version of Go has no such flag in http.Server
}

// keepAlivesOff implements owner.
func (s *Server) keepAlivesOff() bool { return s.keepAliveOff.Load() || s.stdDown.Load() }

// handlerFor implements owner.
func (s *Server) handlerFor(r *http.Request) http.Handler {
	return choose(s.Handler, r, !s.DisableGeneralOptionsHandler)
}

// Stats returns the current values of the server's counters.
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
