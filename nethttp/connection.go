package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// connection is what the requests of one connection share. It is not changed once made, and it is small: there may be
// a hundred thousand, idle.
type connection struct {
	*setting
	remote string       // Request.RemoteAddr
	tcp    *net.TCPAddr // the local address; nil if it is of another kind: then setting has it
}

// setting is where connections are served. Those of a listener share one; a connection that has something of its own in
// it has one of its own.
type setting struct {
	owner *Server              // nil behind Handler
	ctx   context.Context      // of ConnContext; holds http.ServerContextKey
	tls   *tls.ConnectionState // nil without TLS
	other net.Addr             // a local address that is not TCP's
}

// describe returns what the requests of a connection share that is served at s, between two addresses, with tls.
func (s *setting) describe(remote, local net.Addr, tls *tls.ConnectionState) *connection {
	c := &connection{setting: s, remote: textOf(remote)}
	c.tcp, _ = local.(*net.TCPAddr)
	if tls != nil || c.tcp == nil {
		own := *s
		own.tls = tls
		if c.tcp == nil {
			own.other = local
		}
		c.setting = &own
	}
	return c
}

// local returns the address that the client connected to.
func (c *connection) local() net.Addr {
	if c.tcp == nil {
		return c.other
	}
	return c.tcp
}

// stateOf returns the state of nc's TLS, whose handshake is done, nil without TLS.
func stateOf(nc net.Conn) *tls.ConnectionState {
	t, ok := nc.(interface{ ConnectionState() tls.ConnectionState })
	if !ok {
		return nil
	}
	state := t.ConnectionState()
	return &state
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
	return a.describe(r.RemoteAddr(), r.LocalAddr(), r.TLS())
}
