// Package h3peer has the HTTP/3 servers that are measured: ours, quic-go's with a net/http handler, and two that are programs with
// dependencies of their own: Caddy, and a server on quinn and h3. All give those responses of package peer that are measured, and long
// ones on PathStream.
//
// Each runs in a process of its own with its default settings, except those that would end a measurement early.
package h3peer

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strings"

	"github.com/quic-go/quic-go"
	quichttp3 "github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/http3"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// The peers' names. Ours have the same names in package peer.
const (
	Native  = peer.Native
	NetHTTP = peer.NetHTTP
	QuicGo  = "quic-go" // http3.Server of quic-go with the handler of NetHTTP
	Caddy   = "caddy"   // on its own version of quic-go
	Quinn   = "quinn"   // in Rust, with HTTP/3 of the crate h3
)

// All are the peers in the order of the reports.
var All = []string{Native, NetHTTP, QuicGo, Caddy, Quinn}

// Ours are the peers that are part of this module.
var Ours = []string{Native, NetHTTP}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// Serve serves pc as the peer called name, which must be one that runs inside this program, with a certificate made for it. It
// returns when pc fails.
func Serve(name string, pc net.PacketConn) error {
	cert, err := server.DevelopmentCertificate()
	if err != nil {
		return err
	}
	conf := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS13}
	switch name {
	case Native:
		// Without MaxBodyBytes the server would refuse a POST of 100 MiB, which the others take.
		cfg := server.Config{Handler: native, TLSConfig: conf, IdleTimeout: peer.KeepIdle, MaxBodyBytes: -1}
		return serveOurs(pc, server.NewServer(cfg))
	case NetHTTP:
		return serveOurs(pc, &nethttp.Server{Handler: handler, TLSConfig: conf, ErrorLog: quiet, IdleTimeout: peer.KeepIdle})
	case QuicGo:
		cfg := &quic.Config{Allow0RTT: true, MaxIdleTimeout: peer.KeepIdle} // Allow0RTT is set by default, too
		return (&quichttp3.Server{Handler: handler, TLSConfig: conf, QUICConfig: cfg}).Serve(pc)
	}
	return fmt.Errorf("no HTTP/3 peer in this program is called %q; there are %s", name, strings.Join(All, ", "))
}

// quiet discards the log of servers that log every connection that the load generator closes.
var quiet = log.New(io.Discard, "", 0)

func serveOurs(pc net.PacketConn, host http3.Host) error {
	return http3.NewServer(host, http3.Config{MaxIdleTimeout: peer.KeepIdle}).Serve(pc, "", "")
}
