// Package sockpeer has the peers of the suite sockets: package streamsock and its alternatives.
//
// Server and client are of the same stack, each a process on a core of its own. They are written as users of the stack write
// them. Over tcp and tls, a message is preceded by its length, four bytes in network order. Over ws and wss, it is a WebSocket
// message.
//
// A client sends an order, then messages, and then an empty message. The orders are:
//
//	sink   the server compares every byte, and replies to the empty message with a report: what it received and its CPU time
//	echo   the same, and it sends each message back
//	room   the server sends each message of a connection to all connections with this order; there is no empty message
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

// Ours are the peers that are part of this module.
var Ours = []string{Recv, Callbacks}

// Modules are the names of the other peers that are Go modules, by module path.
var Modules = map[string]string{"github.com/gorilla/websocket": Gorilla, "github.com/lxzan/gws": GWS}

// Transports are the names of the transports.
var Transports = []string{"tcp", "tls", "ws", "wss"}

// cannot has the reasons why a peer is not measured on a transport, by transport and peer.
var cannot = map[string]map[string]string{
	"tcp": {Gorilla: "is for WebSocket", GWS: "is for WebSocket"},
	"tls": {Gorilla: "is for WebSocket", GWS: "is for WebSocket", ZMQ: "has no TLS on such a socket", C: "is measured on tcp"},
	"ws":  {Net: "has no WebSocket", ZMQ: "has no WebSocket on such a socket", C: "is measured on tcp"},
	"wss": {Net: "has no WebSocket", ZMQ: "has no WebSocket on such a socket", C: "is measured on tcp"},
}

// On returns the peers on a transport, and for the others the reasons why they are not.
func On(transport string) (peers []string, cannotBe map[string]string) {
	for _, name := range All {
		if cannot[transport][name] == "" {
			peers = append(peers, name)
		}
	}
	return peers, cannot[transport]
}

// Check returns an error if a peer is not measured on a transport, or does not exist.
func Check(name, transport string) error {
	switch {
	case !slices.Contains(All, name):
		return fmt.Errorf("unknown peer %q with messages", name)
	case !slices.Contains(Transports, transport):
		return fmt.Errorf("there is no transport %q", transport)
	case cannot[transport][name] != "":
		return fmt.Errorf("%s on %s: it %s", name, transport, cannot[transport][name])
	}
	return nil
}
