package nethttp

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// connection holds what all requests of one connection share. It is not changed once it is made. It is kept small,
// because there may be a hundred thousand idle connections.
type connection struct {
	*connInfo
	remote string       // Request.RemoteAddr
	tcp    *net.TCPAddr // the local address; nil if it is not a TCP address, then connInfo.other is set
}

// connInfo holds what requests need to know about where they are served. All connections of a listener share one; a
// connection with TLS or with a local address that is not TCP's has its own copy.
type connInfo struct {
	owner owner
	ctx   context.Context      // ConnContext's; holds http.ServerContextKey
	tls   *tls.ConnectionState // nil without TLS
	other net.Addr             // the local address if it is not a TCP address
}

// owner is what requests ask of the Server that they are served by.
type owner interface {
	// handlerFor returns the handler for r.
	handlerFor(r *http.Request) http.Handler
	// keepAlivesOff reports whether a response must be the last one on its connection.
	keepAlivesOff() bool
	logf(format string, args ...any)
	// logPanic counts and logs the panic value v of a handler. It must be called while the stack of the panic still exists.
	logPanic(remote string, v any)
}

// newConnection returns the connection between two addresses, with TLS state tls, that is served at s.
func (s *connInfo) newConnection(remote, local net.Addr, tls *tls.ConnectionState) *connection {
	c := &connection{connInfo: s, remote: addrText(remote)}
	c.tcp, _ = local.(*net.TCPAddr)
	if tls != nil || c.tcp == nil {
		own := *s
		own.tls = tls
		if c.tcp == nil {
			own.other = local
		}
		c.connInfo = &own
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

// tlsStateOf returns the state of nc's TLS, whose handshake must be complete, or nil if nc has no TLS.
func tlsStateOf(nc net.Conn) *tls.ConnectionState {
	t, ok := nc.(interface{ ConnectionState() tls.ConnectionState })
	if !ok {
		return nil
	}
	state := t.ConnectionState()
	return &state
}

// addrText returns a.String(), or "" if a is nil: connections of other packages may have no address.
func addrText(a net.Addr) string {
	if a == nil {
		return ""
	}
	return a.String()
}

// withServer returns base with std as the value of http.ServerContextKey.
func withServer(base context.Context, std *http.Server) context.Context {
	return context.WithValue(base, http.ServerContextKey, std)
}

// connectionOf returns the connection that Server.onConn has made for r. If r is served by a native server that the
// program set up itself, there is none, and the request gets a new one.
func (a *adapter) connectionOf(r *server.Request) *connection {
	if c, ok := r.ConnValue().(*connection); ok {
		return c
	}
	return a.newConnection(r.RemoteAddr(), r.LocalAddr(), r.TLS())
}
