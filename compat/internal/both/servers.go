package both

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// Server is the common interface of net/http's server and ours while they serve.
type Server interface {
	Shutdown(ctx context.Context) error
	Close() error
	SetKeepAlivesEnabled(v bool)
	RegisterOnShutdown(f func())
}

// starter is a Server before it serves.
type starter interface {
	Server
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
}

// native is a native server. It has no SetKeepAlivesEnabled of its own.
type native struct{ *server.Server }

// SetKeepAlivesEnabled does nothing.
func (native) SetKeepAlivesEnabled(bool) {}

// kind is a kind of server. Its settings are those of an http.Server.
type kind struct {
	name  string
	ours  bool
	build func(std *http.Server, l net.Listener) (starter, net.Listener)
	quic  func(*tls.Config) quicClient // the Client, if it speaks HTTP/3
}

var (
	onStandard = kind{name: "net-http", build: func(std *http.Server, l net.Listener) (starter, net.Listener) { return std, l }}
	onOurs     = kind{name: "nethttp", ours: true, build: func(std *http.Server, l net.Listener) (starter, net.Listener) {
		return nethttp.FromServer(std), l
	}}
	onPlainLoop = kind{name: "nethttp-plain-loop", ours: true, build: func(std *http.Server, l net.Listener) (starter, net.Listener) {
		return nethttp.FromServer(std), plainListener{l}
	}}
)

// kinds returns the kinds of servers that every test runs on.
func (set *settings) kinds() []kind {
	if !overHTTP3() {
		return []kind{onStandard, onOurs, onPlainLoop}
	}
	byOthers, byOurs := onOurs, onOurs
	byOthers.quic = othersQUIC
	byOurs.name, byOurs.quic = "nethttp-own-client", ownQUIC
	return []kind{onStandard, byOthers, byOurs}
}

// plainListener wraps its connections, so that they are not *net.TCPConn. They get the plain serve loop, as those of any
// wrapping listener do, and do not support half-close.
type plainListener struct{ net.Listener }

func (l plainListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return struct{ net.Conn }{c}, nil
}
