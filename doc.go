// Package shockwave holds the vocabulary that every protocol of the module shares: lists of field lines and the
// words for who broke a protocol.
//
// To serve net/http's handlers import [github.com/shockwave-go/shockwave/nethttp]; for handlers that allocate nothing
// [github.com/shockwave-go/shockwave/server]; for WebSocket [github.com/shockwave-go/shockwave/websocket]. How all of it
// fits together is drawn in [the architecture].
//
// [the architecture]: https://github.com/shockwave-go/shockwave/blob/main/docs/architecture.md
package shockwave
