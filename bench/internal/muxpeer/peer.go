// Package muxpeer has the peers of the suite channels: package tcpmux and its alternatives.
//
// Server and client are of the same kind, each a process on a core of its own. On peers that have only streams of bytes, a
// message is preceded by its length, four bytes in network order. The first message of a channel is an order, which says what
// the server does with the others:
//
//	echo   it sends each back
//	sink   it counts them, and replies to an empty message with the count in eight bytes
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
	Raw    = "raw"          // package net: a connection for each channel
	Yamux  = "yamux"        // hashicorp/yamux
	Smux   = "smux"         // xtaci/smux
	HTTP2  = "h2streams"    // streams of our HTTP/2: nethttp.Server and nethttp.Transport
	Tcpmux = "tcpmux"       // our tcpmux.Session
	Once   = "at-most-once" // our tcpmux.Session with Config.AtMostOnce: without resuming
)

// All are the peers in the order of the reports.
var All = []string{Tcpmux, Once, HTTP2, Raw, Yamux, Smux}

// Ours are the peers that are part of this module.
var Ours = []string{Tcpmux, Once, HTTP2}

// Modules are the names of the other peers by module path.
var Modules = map[string]string{"github.com/hashicorp/yamux": Yamux, "github.com/xtaci/smux": Smux}

// The orders, which are the first message of a channel.
const (
	OrderEcho = "echo"
	OrderSink = "sink"
)

// Largest is the largest number of bytes in a message.
const Largest = 1 << 20

// Channel carries messages. One goroutine may send while another one receives.
type Channel interface {
	Send(p []byte) error
	// Receive returns the next message, in buf, or in new memory if buf is too short.
	Receive(buf []byte) ([]byte, error)
	Close() error
}

// Session opens channels.
type Session interface {
	Open() (Channel, error)
	Close() error
}

// kind is the implementation of a peer. Its serve calls the function for every channel, in a goroutine of its own.
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

// Serve serves l as the peer called name. It returns when l fails.
func Serve(name string, l net.Listener) error {
	k, ok := kinds[name]
	if !ok {
		return fmt.Errorf("unknown peer %q with channels, want one of %s", name, strings.Join(All, ", "))
	}
	return k.serve(l, answer)
}

// Dial opens a session as the peer called name.
func Dial(name, addr string) (Session, error) {
	k, ok := kinds[name]
	if !ok {
		return nil, fmt.Errorf("unknown peer %q with channels", name)
	}
	return k.dial(addr)
}
