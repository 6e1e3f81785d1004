// Package peer contains the HTTP/1.1 servers that are measured, ours and others. All give the same responses.
//
// Each runs in a process of its own with its default settings, because that is what people run. The exception is a default
// that would end a measurement early (the idle timeout); a comment says so where one is changed.
package peer

import (
	"crypto/tls"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// The peers' names.
const (
	Native   = "native"   // server.Server
	NetHTTP  = "nethttp"  // nethttp.Server with a net/http handler
	Std      = "net/http" // http.Server with the same handler
	FastHTTP = "fasthttp"
	Nginx    = "nginx"
)

// All are the peers in the order of the reports.
var All = []string{Native, NetHTTP, Std, FastHTTP, Nginx}

// Ours are the peers that are part of this module.
var Ours = []string{Native, NetHTTP}

// KeepIdle is the idle timeout of servers that have one by default. It is longer than any measurement.
const KeepIdle = 10 * time.Minute

// inGo are the peers that run inside this program. Each serves l until it fails, over TLS if conf is not nil.
var inGo = map[string]func(l net.Listener, conf *tls.Config) error{
	Native:   serveNative,
	NetHTTP:  serveNetHTTP,
	Std:      serveStd,
	FastHTTP: serveFastHTTP,
}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// Listen listens on addr in the way that the peer called name does by default.
func Listen(name, addr string) (net.Listener, error) {
	if slices.Contains(Ours, name) {
		return server.Listen(addr)
	}
	return net.Listen("tcp", addr)
}

// Serve serves l as the peer called name. It returns when l fails.
func Serve(name string, l net.Listener, withTLS bool) error {
	serve := inGo[name]
	if serve == nil {
		return fmt.Errorf("unknown peer %q in this program, want one of %s", name, strings.Join(All, ", "))
	}
	var conf *tls.Config
	if withTLS {
		cert, err := server.DevelopmentCertificate()
		if err != nil {
			return err
		}
		conf = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	}
	return serve(l, conf)
}
