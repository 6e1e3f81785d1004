// Package wspeer has the WebSocket servers that are measured, ours and others. All behave the same.
//
// Each runs in a process of its own. Each is written as its documentation recommends for speed: it reuses buffers, uses
// prepared messages where they exist, and writes whole frames.
package wspeer

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/server"
)

// The peers' names.
const (
	Blocking  = "blocking"  // our websocket.Conn, read by ReadMessageInto
	Callbacks = "callbacks" // our websocket.Conn with Config.OnMessage
	Gorilla   = "gorilla"
	Coder     = "coder"
	Gobwas    = "gobwas"
	GWS       = "gws"
)

// All are the peers in the order of the reports.
var All = []string{Blocking, Callbacks, Gorilla, Coder, Gobwas, GWS}

// Ours are the peers that are part of this module.
var Ours = []string{Blocking, Callbacks}

// Modules are the names of the other peers by module path.
var Modules = map[string]string{
	"github.com/gorilla/websocket": Gorilla,
	"github.com/coder/websocket":   Coder,
	"github.com/gobwas/ws":         Gobwas,
	"github.com/lxzan/gws":         GWS,
}

// The paths of the handshake, which say what every peer does with a message.
const (
	PathEcho    = "/echo"    // sends it back
	PathDeflate = "/deflate" // sends it back, with permessage-deflate without context takeover, if that is offered
	PathRoom    = "/room"    // sends it to every connection on this path, including the sender's
)

var servers = map[string]func(l net.Listener) error{
	Blocking:  func(l net.Listener) error { return serveOurs(l, false) },
	Callbacks: func(l net.Listener) error { return serveOurs(l, true) },
	Gorilla:   func(l net.Listener) error { return serveHTTP(l, newGorilla()) },
	Coder:     func(l net.Listener) error { return serveHTTP(l, newCoder()) },
	Gobwas:    serveGobwas,
	GWS:       func(l net.Listener) error { return serveHTTP(l, newGWS()) },
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
func Serve(name string, l net.Listener) error {
	serve := servers[name]
	if serve == nil {
		return fmt.Errorf("no WebSocket peer is called %q; there are %s", name, strings.Join(All, ", "))
	}
	return serve(l)
}

// serveHTTP serves peers whose handshake is done in a net/http handler.
func serveHTTP(l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	return s.Serve(l)
}
