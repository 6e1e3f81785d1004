package nethttp

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/facelink"
	"github.com/shockwave-go/shockwave/server"
)

// defaultHeaderTimeout is the native server's default for heads and for TLS handshakes. It is repeated here because a
// shorter ReadTimeout replaces it.
const defaultHeaderTimeout = 10 * time.Second

const defaultFirstGrace = 5 * time.Second

// nativeServer returns the native server. The first call creates it from the fields of s.
func (s *Server) nativeServer() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.native == nil {
		std := s.standardLocked()
		if s.fromStd {
			s.copyFromStdLocked()
		} else {
			s.copyToStdLocked(std)
		}
		s.base = &connInfo{owner: s, ctx: withServer(context.Background(), std)}
		s.native = server.NewServer(s.config())
		s.native.RegisterOnShutdown(s.callRegistered)
	}
	return s.native
}

// standardLocked returns the http.Server that handlers find under http.ServerContextKey.
func (s *Server) standardLocked() *http.Server {
	if s.std == nil {
		s.adoptLocked(new(http.Server))
	}
	return s.std
}

// config translates the fields of s into the native server's configuration.
func (s *Server) config() server.Config {
	cfg := server.Config{
		Handler:             &adapter{connInfo: s.base},
		MaxHeadBytes:        s.MaxHeaderBytes,
		MaxHeadFields:       s.MaxHeadFields,
		MinReadRate:         s.MinReadRate,
		MinWriteRate:        s.MinWriteRate,
		RateGrace:           s.RateGrace,
		MaxBodyBytes:        -1, // net/http has no limit: handlers set theirs with http.MaxBytesReader
		ReadTimeout:         s.ReadTimeout,
		ReadHeaderTimeout:   s.ReadHeaderTimeout,
		WriteTimeout:        s.WriteTimeout,
		IdleTimeout:         s.IdleTimeout,
		TLSHandshakeTimeout: s.handshakeTimeout(),
		FirstGrace:          cmp.Or(s.FirstGrace, defaultFirstGrace),
		TLSConfig:           s.TLSConfig,
		Logger:              s.Logger,
		OnConn:              s.onConn,
		NextProtos:          s.nextProtosLocked(),
		Protocols:           s.protocols(),
		HTTP2:               s.http2(),
	}
	facelink.LikeNetHTTP(&cfg)
	if s.ReadHeaderTimeout == 0 && s.ReadTimeout > 0 {
		cfg.ReadHeaderTimeout = min(s.ReadTimeout, defaultHeaderTimeout)
	}
	if s.IdleTimeout == 0 && s.ReadTimeout > 0 {
		cfg.IdleTimeout = s.ReadTimeout
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(logHandler{to: s})
	}
	if s.ConnState != nil {
		cfg.OnState = s.ConnState
	} else if s.ConnContext != nil {
		cfg.OnState = func(net.Conn, http.ConnState) {} // a hook makes the native server use the plain serve loop
	}
	return cfg
}

// handshakeTimeout returns the shortest of the timeouts that bound a TLS handshake, as in net/http. It returns 0,
// which means the native server's default, if none is set or if that default is shorter.
func (s *Server) handshakeTimeout() (shortest time.Duration) {
	for _, limit := range [...]time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout} {
		if limit > 0 && limit < defaultHeaderTimeout && (shortest == 0 || limit < shortest) {
			shortest = limit
		}
	}
	return shortest
}

// withBase calls BaseContext, if it is set, and labels l with the connInfo that its connections share.
func (s *Server) withBase(l net.Listener) net.Listener {
	if s.BaseContext == nil {
		return l
	}
	ctx := s.BaseContext(l)
	if ctx == nil {
		panic("nethttp: BaseContext returned a nil context")
	}
	return &netconn.Labelled{Listener: l, Label: &connInfo{owner: s, ctx: withServer(ctx, s.std)}}
}

// onConn returns the value that all requests of a new connection share.
func (s *Server) onConn(l net.Listener, nc net.Conn) any {
	s.warnOfLateChanges()
	s.followShutdown()
	return s.connInfoOf(l, nc).newConnection(nc.RemoteAddr(), nc.LocalAddr(), tlsStateOf(nc))
}

// connInfoOf returns the connInfo for nc, which was accepted from l.
func (s *Server) connInfoOf(l net.Listener, nc net.Conn) *connInfo {
	at := s.base
	if labelled, ok := l.(*netconn.Labelled); ok {
		if its, ok := labelled.Label.(*connInfo); ok {
			at = its
		}
	}
	if s.ConnContext != nil {
		ctx := s.ConnContext(at.ctx, nc)
		if ctx == nil {
			panic("nethttp: ConnContext returned a nil context")
		}
		at = &connInfo{owner: s, ctx: ctx}
	}
	return at
}
