package nethttp

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// defaultHeaderTimeout is the native server's, for heads and for TLS handshakes; it is named here because a shorter
// time replaces it.
const defaultHeaderTimeout = 10 * time.Second

const defaultFirstGrace = 5 * time.Second

// start returns the native server, which it makes of s's fields at the first call.
func (s *Server) start() *server.Server {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.native == nil {
		std := s.standard()
		if s.given {
			s.follow()
		} else {
			s.describe(std)
		}
		s.base = &setting{owner: s, ctx: withServer(context.Background(), std)}
		s.native = server.NewServer(s.config())
		s.native.RegisterOnShutdown(s.callRegistered)
	}
	return s.native
}

// standard returns the http.Server that handlers find under http.ServerContextKey. s.mu is held.
func (s *Server) standard() *http.Server {
	if s.std == nil {
		s.adopt(new(http.Server))
	}
	return s.std
}

// config translates the fields for the native server.
func (s *Server) config() server.Config {
	cfg := server.Config{
		Handler:           &adapter{setting: s.base},
		MaxHeadBytes:      s.MaxHeaderBytes,
		MaxBodyBytes:      -1, // net/http has no limit: handlers set theirs with http.MaxBytesReader
		ReadTimeout:       s.ReadTimeout,
		ReadHeaderTimeout: s.ReadHeaderTimeout,
		WriteTimeout:      s.WriteTimeout,
		IdleTimeout:       s.IdleTimeout,
		HandshakeTimeout:  s.handshakeTimeout(),
		FirstGrace:        cmp.Or(s.FirstGrace, defaultFirstGrace),
		TLSConfig:         s.TLSConfig,
		Logger:            s.Logger,
		OnConn:            s.onConn,
		NextProtos:        s.nextProtos(),
		NetHTTP:           true,
		Protocols:         s.protocols(),
		HTTP2:             s.http2(),
	}
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
		cfg.OnState = func(nc net.Conn, state server.ConnState) { s.ConnState(nc, http.ConnState(state)) }
	} else if s.ConnContext != nil {
		cfg.OnState = func(net.Conn, server.ConnState) {} // asks for the plain serve loop
	}
	return cfg
}

// handshakeTimeout is the shortest of the times that bound a TLS handshake, as in net/http; 0, the native server's
// default, if there is none or if that is shorter.
func (s *Server) handshakeTimeout() (shortest time.Duration) {
	for _, limit := range [...]time.Duration{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout} {
		if limit > 0 && limit < defaultHeaderTimeout && (shortest == 0 || limit < shortest) {
			shortest = limit
		}
	}
	return shortest
}

// withBase asks BaseContext, if there is one, for l's context, and labels l with what its connections share.
func (s *Server) withBase(l net.Listener) net.Listener {
	if s.BaseContext == nil {
		return l
	}
	ctx := s.BaseContext(l)
	if ctx == nil {
		panic("nethttp: BaseContext returned a nil context")
	}
	return &server.Labelled{Listener: l, Label: &setting{owner: s, ctx: withServer(ctx, s.std)}}
}

// onConn makes what the requests of a new connection share.
func (s *Server) onConn(l net.Listener, nc net.Conn) any {
	s.noticeChanges()
	s.noticeDown()
	return s.settingOf(l, nc).describe(nc.RemoteAddr(), nc.LocalAddr(), stateOf(nc))
}

// settingOf returns where nc is served, which came from l.
func (s *Server) settingOf(l net.Listener, nc net.Conn) *setting {
	at := s.base
	if labelled, ok := l.(*server.Labelled); ok {
		if its, ok := labelled.Label.(*setting); ok {
			at = its
		}
	}
	if s.ConnContext != nil {
		ctx := s.ConnContext(at.ctx, nc)
		if ctx == nil {
			panic("nethttp: ConnContext returned a nil context")
		}
		at = &setting{owner: s, ctx: ctx}
	}
	return at
}
