// Package streamsock is one socket for many peers, each with a routing id: browsers, game clients and services, over tcp,
// tls, ws, wss and Unix sockets at once. What arrives from any of them is received in one place, in order for each peer and
// fairly between them; what is sent goes to the peer whose id is named.
//
//	s := streamsock.New(streamsock.Config{})
//	s.Bind("tcp://:5555", "ws://:8080/game")
//	for m := range s.Messages() {
//		s.Send(m.Peer.ID(), m.Data)
//		m.Release()
//	}
//
// Messages are whole or not there: never cut, never twice. What waits for a peer that is away waits in its queue; what was
// on the wire when a connection broke may be lost. Who must not lose that either uses package tcpmux.
//
// The wire is described in docs/wire/streamsock.md.
package streamsock
