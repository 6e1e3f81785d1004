// Package http1 parses and writes HTTP/1.1 and HTTP/1.0 messages (RFC 9112). It does no I/O, takes no locks, reads no
// clock and allocates nothing in steady state. It refuses everything that the grammar does not allow and repairs
// nothing.
//
// [Request.Parse] and [Response.Parse] read a head. A [Body] started with the head's [Framing] reads the body. The
// Append functions write. [The rules] list what is refused and with which status, and the choices made where the RFC
// leaves some. A value of this package must not be used by two goroutines at once; the functions are safe for
// concurrent use.
//
// [The rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http1.md
package http1
