// Package gateway is the command gateway, which connects WebSocket peers with services on tcp or tls that do not speak WebSocket. The path of a
// request selects the service, and each peer gets a connection of its own to it. On the service's side a message is
// four bytes of length and the payload (docs/wire/streamsock.md), or in raw mode any piece of a byte stream.
//
//	            OnMessage, on the peer's goroutine: blocks while the service does not read
//	peer ──────────────────────────────────────────────────────────────────────────────► service
//	     ◄──────────────────────────────────────────────────────────────────────────────
//	            pump, a goroutine per peer: does not read on while the peer does not read
//
// Neither direction has a queue: a slow side slows the other one, and a peer needs memory for one message in each
// direction. A close frame and a FIN both end one direction only; each is passed on as the other. docs/cmd/gateway.md has a
// table of all the ways in which a connection can end.
package gateway
