// Package websocket speaks WebSocket (RFC 6455), on the server and on the client, with compression of messages (RFC
// 7692).
//
// [Accept] answers the upgrade of a net/http handler, on any server; [Upgrade] that of a native handler of package
// server; [UpgradeConn] that of a connection nobody has read from; [Dial] opens one. All return a [Conn], which is used in
// one of two ways. Without Config.OnMessage a goroutine of yours calls [Conn.ReadMessage]. With it the connection has a
// goroutine only while messages come, and nothing but a line in a table while it is idle.
//
// The bytes that ReadMessage returns are yours. What a callback is given is borrowed: its comment says until when.
// Bytes that you hand over to be written are never changed, and not used after the call has returned.
//
// A connection may join any number of [Rooms], whose members are told things together. Package wsjson reads and writes
// JSON; NetConn makes a stream of bytes of a connection.
//
// A server does not know the connections that began on it: their [Group] does. Both shut down together within one ctx, the
// peers being told at once and requests finished meanwhile:
//
//	srv.RegisterOnShutdown(func() { group.Shutdown(ctx) })
//	err := errors.Join(srv.Shutdown(ctx), group.Shutdown(ctx))
//
// Which packages' calls are which here, for those who come from gorilla, coder or gws, stands in [the table].
//
// [the table]: https://github.com/shockwave-go/shockwave/blob/main/docs/migrating.md
package websocket
