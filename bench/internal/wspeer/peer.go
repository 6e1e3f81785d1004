// Package wspeer is the WebSocket servers that are measured: ours and those beside us, all with the same behaviour.
//
// Each runs in a process of its own, written as its documentation recommends for speed: buffers are used again, prepared
// messages are used where there are any, and writes are whole frames.
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

// Ours are those that this module makes.
var Ours = []string{Blocking, Callbacks}

// Modules are the modules of the others, by their paths.
var Modules = map[string]string{
	"github.com/gorilla/websocket": Gorilla,
	"github.com/coder/websocket":   Coder,
	"github.com/gobwas/ws":         Gobwas,
	"github.com/lxzan/gws":         GWS,
}

// What every peer does with a message depends on the path of the handshake.
const (
	PathEcho    = "/echo"    // sends it back
	PathDeflate = "/deflate" // sends it back, with permessage-deflate without context takeover, if that is offered
	PathRoom    = "/room"    // sends it to every connection on this path, the sender's included
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

// Listen listens on addr as the peer called name does by itself.
func Listen(name, addr string) (net.Listener, error) {
	if slices.Contains(Ours, name) {
		return server.Listen(addr)
	}
	return net.Listen("tcp", addr)
}

// Serve serves l as the peer called name until that fails.
func Serve(name string, l net.Listener) error {
	serve := servers[name]
	if serve == nil {
		return fmt.Errorf("no WebSocket peer is called %q; there are %s", name, strings.Join(All, ", "))
	}
	return serve(l)
}

// serveHTTP serves peers whose handshake is a net/http handler's work.
func serveHTTP(l net.Listener, h http.Handler) error {
	s := &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	return s.Serve(l)
}
