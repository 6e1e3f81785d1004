// Package h2peer is the HTTP/2 servers that are measured, all with the answers of package peer: ours and net/http's, a
// gRPC server of its own, and programs of other people that serve files.
//
// Each runs in a process of its own and with its own defaults, but for what would end a measurement.
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

// The peers' names. Those that package peer has too have the same names there.
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

// Ours are those that this module makes.
var Ours = []string{Native, NetHTTP}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// Listen listens on addr as the peer called name does by itself.
func Listen(name, addr string) (net.Listener, error) {
	if slices.Contains(Ours, name) {
		return server.Listen(addr)
	}
	return net.Listen("tcp", addr)
}

// Serve serves l until that fails, as the peer called name, which is one that runs inside this program.
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

// quiet is the log of servers that would tell of every connection that the load ends.
var quiet = log.New(io.Discard, "", 0)

// protocols has net/http's server speak HTTP/2 in cleartext, which it does not by default.
func protocols() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(true)
	p.SetUnencryptedHTTP2(true)
	return p
}

// handler is the value that both nethttp and net/http serve: the answers, and calls.
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
