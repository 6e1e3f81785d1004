// Package websocket implements WebSocket (RFC 6455) for servers and clients, with message compression (RFC 7692).
//
// [Accept] upgrades a request in a net/http handler, on any server. [Upgrade] does the same in a native handler of
// package server. [UpgradeConn] reads the request itself, from a connection that nothing has been read from. [Dial]
// opens a connection to a server. All of them return a [Conn], which is used in one of two ways:
//
//   - Without Config.OnMessage, your goroutine calls [Conn.ReadMessage].
//   - With Config.OnMessage, the package calls it with each message. An idle connection then has no goroutine and no
//     buffer.
//
// The bytes that ReadMessage returns belong to the caller. Bytes passed to a callback are borrowed; its documentation
// says for how long. The package never changes bytes that you pass to be written, and does not use them after the call
// has returned.
//
// A connection may join any number of [Rooms], which send a message to all their members. Package wsjson reads and
// writes JSON. Stream turns a connection into a stream of bytes.
//
// An HTTP server does not know the connections that were upgraded on it; their [Group] does. To shut down both within
// one ctx, start both at once, so that WebSocket peers get their close frames while the server finishes its requests:
//
//	srv.RegisterOnShutdown(func() { group.Shutdown(ctx) })
//	err := errors.Join(srv.Shutdown(ctx), group.Shutdown(ctx))
//
// [The migration table] lists the equivalents of calls of gorilla, coder and gws.
//
// [The migration table]: https://github.com/shockwave-go/shockwave/blob/main/docs/migrating.md
package websocket
