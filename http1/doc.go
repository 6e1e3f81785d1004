// Package http1 parses and writes HTTP/1.1 and HTTP/1.0 messages (RFC 9112). It does no I/O, takes no lock, reads no
// clock and allocates nothing in steady state; it refuses what the grammar refuses and repairs nothing.
//
// A head is read by [Request.Parse] or [Response.Parse], a body by a [Body] that was started with the head's [Framing],
// and the Append functions write. What is refused, with which status, and the few choices where the RFC leaves one,
// stands in [the rules]. No value of this package may be used by two goroutines at once; the functions may.
//
// [the rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http1.md
package http1
