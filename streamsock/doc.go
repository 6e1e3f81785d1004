// Package streamsock provides a socket that exchanges messages with many peers at once, each with a routing id: browsers,
// game clients and services, over tcp, tls, ws, wss and Unix sockets. All messages are received in one place, in order for
// each peer and fairly between peers; a message is sent to the peer with a given id.
//
//	s := streamsock.New(streamsock.Config{})
//	s.Bind("tcp://:5555", "ws://:8080/game")
//	for m := range s.Messages() {
//		s.Send(m.Peer.ID(), m.Data)
//		m.Release()
//	}
//
// Messages arrive whole or not at all, and never twice. Messages for a disconnected peer are queued; messages that were on
// the wire when a connection broke may be lost. Use package tcpmux if none may be lost.
//
// [The specification of the wire] says what is sent.
//
// [The specification of the wire]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/streamsock.md
package streamsock
