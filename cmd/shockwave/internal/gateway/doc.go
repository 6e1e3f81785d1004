// Package gateway has WebSocket peers talk to services on tcp and tls that know nothing of WebSocket. Each peer has a
// connection of its own to the service that its path names. A message is a length of four bytes and so many bytes of
// payload on the service's side (docs/wire/streamsock.md), or any piece of a stream without lengths.
//
//	            OnMessage, on the connection's goroutine: waits while the service takes nothing
//	peer ──────────────────────────────────────────────────────────────────────────────► service
//	     ◄──────────────────────────────────────────────────────────────────────────────
//	            pump, a goroutine for each peer: reads no further while the peer takes nothing
//
// Neither direction has a queue: who is slow slows the other, and a peer takes memory for one message in each direction. A
// close frame and a FIN end one direction and are passed on as each other. docs/gateway.md has a table of all ends.
package gateway
