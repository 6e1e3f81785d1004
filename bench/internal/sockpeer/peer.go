// Package sockpeer is who takes part in the suite sockets: package streamsock, and what others have in its place.
//
// Each stack is measured with itself: a server and a client of the same kind, each a process on a core of its own. They are
// written as their users write them. A message is as many bytes behind their length, four bytes in network order, over tcp
// and tls, and a WebSocket message over ws and wss.
//
// What is said, by all alike, is an order and then messages, until an empty one:
//
//	sink   the server looks at every byte, and in the end says what it has received and what that has cost it
//	echo   it sends each back as well
//	room   there is no end: what any connection of the room says all of them hear
package sockpeer

import (
	"fmt"
	"slices"
)

// The peers' names.
const (
	Recv      = "recv"      // our streamsock.Socket, read by RecvBatch
	Callbacks = "callbacks" // our streamsock.Socket with Config.OnMessage
	Beast     = "beast"     // Boost.Asio and Boost.Beast, blocking
	ZMQ       = "zmq"       // libzmq's STREAM socket
	Net       = "net"       // package net or crypto/tls and a buffer
	Gorilla   = "gorilla"
	GWS       = "gws"
	C         = "c" // blocking sockets in C
)

// All are the peers in the order of the reports.
var All = []string{Recv, Callbacks, Beast, ZMQ, Net, Gorilla, GWS, C}

// Ours are those that this module makes.
var Ours = []string{Recv, Callbacks}

// Modules are the modules of the others that are in Go, by their paths.
var Modules = map[string]string{"github.com/gorilla/websocket": Gorilla, "github.com/lxzan/gws": GWS}

// Transports are what messages travel on.
var Transports = []string{"tcp", "tls", "ws", "wss"}

// cannot says why a peer is not measured on a transport.
var cannot = map[string]map[string]string{
	"tcp": {Gorilla: "is for WebSocket", GWS: "is for WebSocket"},
	"tls": {Gorilla: "is for WebSocket", GWS: "is for WebSocket", ZMQ: "has no TLS on such a socket", C: "is measured on tcp"},
	"ws":  {Net: "has no WebSocket", ZMQ: "has no WebSocket on such a socket", C: "is measured on tcp"},
	"wss": {Net: "has no WebSocket", ZMQ: "has no WebSocket on such a socket", C: "is measured on tcp"},
}

// On returns the peers on a transport, and why the others are not.
func On(transport string) (peers []string, cannotBe map[string]string) {
	for _, name := range All {
		if cannot[transport][name] == "" {
			peers = append(peers, name)
		}
	}
	return peers, cannot[transport]
}

// Check says what is wrong with a peer on a transport.
func Check(name, transport string) error {
	switch {
	case !slices.Contains(All, name):
		return fmt.Errorf("there is no peer %q with messages", name)
	case !slices.Contains(Transports, transport):
		return fmt.Errorf("there is no transport %q", transport)
	case cannot[transport][name] != "":
		return fmt.Errorf("%s on %s: it %s", name, transport, cannot[transport][name])
	}
	return nil
}
