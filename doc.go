// Package shockwave contains the types that all protocols of the module share: lists of field lines, and errors that
// tell which side broke a protocol.
//
// To serve net/http handlers import [github.com/shockwave-go/shockwave/nethttp], for handlers that allocate nothing
// [github.com/shockwave-go/shockwave/server], and for WebSocket [github.com/shockwave-go/shockwave/websocket]. [The
// architecture] shows how the packages fit together.
//
// [The architecture]: https://github.com/shockwave-go/shockwave/blob/main/docs/architecture.md
package shockwave
