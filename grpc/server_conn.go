package grpc

import (
	"context"
	"net"
	"net/http"
	"sync"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/stats"

	"github.com/shockwave-go/shockwave/grpc/internal/servercall"
	"github.com/shockwave-go/shockwave/server"
)

// native returns the handler of a server: calls are served, other requests go to other, if that is not nil.
func (s *Server) native(other server.Handler) server.Handler {
	if other == nil {
		return s.Native()
	}
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		if servercall.IsCall(r) {
			s.engine.ServeNative(w, r)
		} else {
			other.ServeHTTP(w, r)
		}
	})
}

// noteConns makes a server know of its connections what calls and handlers of package stats ask for: nothing unless there
// are credentials or handlers.
func (s *Server) noteConns(cfg *server.Config) {
	handlers := s.opts.calls.Stats
	if len(handlers) == 0 && s.opts.creds == nil {
		return
	}
	known := &conns{handlers: handlers}
	onConn, onState := cfg.OnConn, cfg.OnState
	cfg.OnConn = func(l net.Listener, nc net.Conn) any {
		if onConn != nil {
			onConn(l, nc)
		}
		return known.begin(nc)
	}
	if len(handlers) == 0 {
		return
	}
	cfg.OnState = func(nc net.Conn, state http.ConnState) {
		if onState != nil {
			onState(nc, state)
		}
		if state == http.StateClosed || state == http.StateHijacked {
			known.end(nc)
		}
	}
}

// conns are the connections of a server whose handlers of package stats are told of them.
type conns struct {
	handlers []stats.Handler
	tagged   sync.Map // net.Conn to context.Context, of those that are open
}

// begin returns what the calls of nc have in common.
func (k *conns) begin(nc net.Conn) *servercall.Conn {
	conn := &servercall.Conn{AuthInfo: func() credentials.AuthInfo { return nil }}
	if secured, ok := nc.(*securedConn); ok {
		conn.AuthInfo = secured.authInfo
	}
	if len(k.handlers) == 0 {
		return conn
	}
	ctx := context.Background()
	for _, h := range k.handlers {
		ctx = h.TagConn(ctx, &stats.ConnTagInfo{RemoteAddr: nc.RemoteAddr(), LocalAddr: nc.LocalAddr()})
	}
	for _, h := range k.handlers {
		h.HandleConn(ctx, &stats.ConnBegin{})
	}
	k.tagged.Store(nc, ctx)
	conn.Values = ctx
	return conn
}

// end tells that nc is closed.
func (k *conns) end(nc net.Conn) {
	if ctx, ok := k.tagged.LoadAndDelete(nc); ok {
		for _, h := range k.handlers {
			h.HandleConn(ctx.(context.Context), &stats.ConnEnd{})
		}
	}
}
