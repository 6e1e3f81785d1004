// Package muxpeer is who takes part in the suite channels: package tcpmux, and what others have in its place.
//
// Each is measured with itself: a server and a client of the same kind, each a process on a core of its own. A message is bytes
// behind their length, four bytes in network order, where there is only a stream of bytes. The first message of a channel says
// what becomes of the others:
//
//	echo   each is sent back
//	sink   the server looks at their lengths, and answers the empty one with how many there were, in eight bytes
package muxpeer

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/hashicorp/yamux"
	"github.com/xtaci/smux"
)

// The peers' names.
const (
	Raw    = "raw"       // package net: a connection for each channel
	Yamux  = "yamux"     // hashicorp/yamux
	Smux   = "smux"      // xtaci/smux
	HTTP2  = "h2streams" // streams of our HTTP/2: nethttp.Server and nethttp.Transport
	Tcpmux = "tcpmux"    // our tcpmux.Session
	Once   = "at-most-once"
)

// All are the peers in the order of the reports. Once is tcpmux without resuming.
var All = []string{Tcpmux, Once, HTTP2, Raw, Yamux, Smux}

// Ours are those that this module makes.
var Ours = []string{Tcpmux, Once, HTTP2}

// Modules are the modules of the others, by their paths.
var Modules = map[string]string{"github.com/hashicorp/yamux": Yamux, "github.com/xtaci/smux": Smux}

// The orders that a channel begins with.
const (
	OrderEcho = "echo"
	OrderSink = "sink"
)

// Largest is the most bytes that a message may have.
const Largest = 1 << 20

// Channel is one conversation, for one goroutine that sends and one that receives.
type Channel interface {
	Send(p []byte) error
	// Receive returns the next message: in buf, or in new memory if that is too short.
	Receive(buf []byte) ([]byte, error)
	Close() error
}

// Session is where channels come from.
type Session interface {
	Open() (Channel, error)
	Close() error
}

// kind is a peer: how it serves, giving every channel to serve, and how it dials.
type kind struct {
	serve func(l net.Listener, serve func(Channel)) error
	dial  func(addr string) (Session, error)
}

var kinds = map[string]kind{
	Raw:    {serveRaw, dialRaw},
	Yamux:  {serveStreams(yamux.Server, yamuxConfig), dialStreams(yamux.Client, yamuxConfig)},
	Smux:   {serveStreams(smux.Server, smuxConfig), dialStreams(smux.Client, smuxConfig)},
	HTTP2:  {serveHTTP2, dialHTTP2},
	Tcpmux: {serveMux(false), dialMux(false)},
	Once:   {serveMux(true), dialMux(true)},
}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// Serve serves l as the peer called name until that fails.
func Serve(name string, l net.Listener) error {
	k, ok := kinds[name]
	if !ok {
		return fmt.Errorf("no peer with channels is called %q; there are %s", name, strings.Join(All, ", "))
	}
	return k.serve(l, answer)
}

// Dial opens a session of the peer called name.
func Dial(name, addr string) (Session, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("no peer with channels is called %q", name)
	}
	return k.dial(addr)
}
