package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// nextProto is a function of TLSNextProto.
type nextProto = func(*http.Server, *tls.Conn, http.Handler)

// nextProtos are TLSNextProto's functions for the native server. s.mu is held.
func (s *Server) nextProtos() map[string]server.NextProto {
	protos := make(map[string]server.NextProto, len(s.TLSNextProto))
	for name, serve := range s.TLSNextProto {
		if serve != nil && (name != "h2" || s.offersH2()) {
			protos[name] = func(l net.Listener, nc *tls.Conn) { s.serveNextProto(serve, l, nc) }
		}
	}
	return protos
}

// offersH2 reports whether Protocols lets a function of TLSNextProto speak HTTP/2.
func (s *Server) offersH2() bool { return s.Protocols == nil || s.Protocols.HTTP2() }

// serveNextProto has serve serve nc, and closes it. Shutdown waits for it, as in net/http.
func (s *Server) serveNextProto(serve nextProto, l net.Listener, nc *tls.Conn) {
	if !s.guests.add(nc) {
		nc.Close()
		return
	}
	defer s.guests.remove(nc)
	defer nc.Close()
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			s.logPanic(textOf(nc.RemoteAddr()), v)
		}
	}()
	ctx := context.WithValue(s.settingOf(l, nc).ctx, http.LocalAddrContextKey, nc.LocalAddr())
	serve(s.std, nc, guestHandler{s, nc, ctx})
}

// guestHandler is the Handler that functions of TLSNextProto are given.
type guestHandler struct {
	owner *Server
	nc    *tls.Conn
	ctx   context.Context
}

// BaseContext returns the connection's context. golang.org/x/net/http2 looks for this method.
func (h guestHandler) BaseContext() context.Context { return h.ctx }

// ServeHTTP calls the Server's Handler, with what r may lack.
func (h guestHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.TLS == nil {
		state := h.nc.ConnectionState()
		r.TLS = &state
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if r.RemoteAddr == "" {
		r.RemoteAddr = textOf(h.nc.RemoteAddr())
	}
	(&adapter{setting: h.owner.base}).choose(r).ServeHTTP(w, r)
}
