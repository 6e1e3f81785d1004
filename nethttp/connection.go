package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// connection is what the requests of one connection share. It is not changed once made.
type connection struct {
	owner  *Server         // nil behind Handler
	ctx    context.Context // of ConnContext; holds http.ServerContextKey
	remote string          // Request.RemoteAddr
	local  net.Addr
	tls    *tls.ConnectionState // nil without TLS
}

// newConnection describes nc, a connection of owner's, whose context is ctx and whose handshake is done.
func newConnection(owner *Server, ctx context.Context, nc net.Conn) *connection {
	c := &connection{owner: owner, ctx: ctx, remote: textOf(nc.RemoteAddr()), local: nc.LocalAddr()}
	if t, ok := nc.(interface{ ConnectionState() tls.ConnectionState }); ok {
		state := t.ConnectionState()
		c.tls = &state
	}
	return c
}

// textOf is a's text; connections of other makes may have no address.
func textOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// withServer returns base with std as its http.ServerContextKey.
func withServer(base context.Context, std *http.Server) context.Context {
	return context.WithValue(base, http.ServerContextKey, std)
}

// connectionOf returns what OnConn made for r's connection. On a server that is not ours there is none, and the
// request gets one of its own.
func (a *adapter) connectionOf(r *server.Request) *connection {
	if c, ok := r.ConnValue().(*connection); ok {
		return c
	}
	return &connection{owner: a.owner, ctx: a.ctx, remote: textOf(r.RemoteAddr()), local: r.LocalAddr(), tls: r.TLS()}
}
