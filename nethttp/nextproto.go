package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// nextProto is a function in Server.TLSNextProto.
type nextProto = func(*http.Server, *tls.Conn, http.Handler)

// nextProtosLocked returns the functions in TLSNextProto in the form that the native server takes.
func (s *Server) nextProtosLocked() map[string]server.NextProto {
	protos := make(map[string]server.NextProto, len(s.TLSNextProto))
	for name, serve := range s.TLSNextProto {
		if serve != nil && (name != "h2" || s.offersH2()) {
			protos[name] = func(l net.Listener, nc *tls.Conn) { s.serveNextProto(serve, l, nc) }
		}
	}
	return protos
}

// offersH2 reports whether Protocols allows a function in TLSNextProto to serve HTTP/2.
func (s *Server) offersH2() bool { return s.Protocols == nil || s.Protocols.HTTP2() }

// serveNextProto calls serve for nc and closes nc afterwards. As in net/http, Shutdown waits for it.
func (s *Server) serveNextProto(serve nextProto, l net.Listener, nc *tls.Conn) {
	if !s.nextProtoConns.add(nc) {
		nc.Close()
		return
	}
	defer s.nextProtoConns.remove(nc)
	defer nc.Close()
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			s.logPanic(addrText(nc.RemoteAddr()), v)
		}
	}()
	ctx := context.WithValue(s.connInfoOf(l, nc).ctx, http.LocalAddrContextKey, nc.LocalAddr())
	serve(s.std, nc, nextProtoHandler{s, nc, ctx})
}

// nextProtoHandler is the Handler that is passed to the functions in TLSNextProto.
type nextProtoHandler struct {
	owner *Server
	nc    *tls.Conn
	ctx   context.Context
}

// BaseContext returns the connection's context. golang.org/x/net/http2 looks for this method.
func (h nextProtoHandler) BaseContext() context.Context { return h.ctx }

// ServeHTTP calls the Server's Handler, after filling in fields of r that are not set.
func (h nextProtoHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.TLS == nil {
		state := h.nc.ConnectionState()
		r.TLS = &state
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	if r.RemoteAddr == "" {
		r.RemoteAddr = addrText(h.nc.RemoteAddr())
	}
	h.owner.handlerFor(r).ServeHTTP(w, r)
}
