// Package h2peer has the HTTP/2 servers that are measured: ours, net/http's, grpc-go's, and other programs that serve files.
// All give the responses of package peer.
//
// Each runs in a process of its own with its default settings, except those that would end a measurement early.
package h2peer

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// The peers' names. Peers that are also in package peer have the same names there.
const (
	Native  = peer.Native
	NetHTTP = peer.NetHTTP
	Std     = peer.Std
	GRPC    = "grpc-go" // grpc.Server on its own transport
	Nghttpd = "nghttpd"
	Nginx   = peer.Nginx
	H2O     = "h2o"
)

// All are the peers in the order of the reports.
var All = []string{Native, NetHTTP, Std, GRPC, Nghttpd, Nginx, H2O}

// Ours are the peers that are part of this module.
var Ours = []string{Native, NetHTTP}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// Listen listens on addr in the way that the peer called name does by default.
func Listen(name, addr string) (net.Listener, error) {
	if slices.Contains(Ours, name) {
		return server.Listen(addr)
	}
	return net.Listen("tcp", addr)
}

// Serve serves l as the peer called name, which must be one that runs inside this program. It returns when l fails.
func Serve(name string, l net.Listener, withTLS bool) error {
	var conf *tls.Config
	if withTLS {
		cert, err := server.DevelopmentCertificate()
		if err != nil {
			return err
		}
		conf = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	}
	switch name {
	case Native:
		return peer.Serve(Native, l, withTLS)
	case NetHTTP:
		return serveHTTP(&nethttp.Server{Handler: handler, TLSConfig: conf, ErrorLog: quiet, IdleTimeout: peer.KeepIdle}, l, withTLS)
	case Std:
		return serveHTTP(&http.Server{Handler: handler, TLSConfig: conf, ErrorLog: quiet, Protocols: protocols()}, l, withTLS)
	case GRPC:
		return serveGRPC(l, conf)
	}
	return fmt.Errorf("no HTTP/2 peer in this program is called %q; there are %s", name, strings.Join(All, ", "))
}

// quiet discards the log of servers that log every connection that the load generator closes.
var quiet = log.New(io.Discard, "", 0)

// protocols enables HTTP/2 in cleartext for net/http's server, where it is disabled by default.
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// handler is the handler of both nethttp and net/http. It gives the responses of package peer and serves gRPC calls.
var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == PathUnary {
		calls.ServeHTTP(w, r)
		return
	}
	peer.Handler.ServeHTTP(w, r)
})

func serveHTTP(s interface {
	Serve(l net.Listener) error
	ServeTLS(l net.Listener, certFile, keyFile string) error
}, l net.Listener, withTLS bool) error {
	if withTLS {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}
