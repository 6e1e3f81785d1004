// Package http2 is HTTP/2 on the wire (RFC 9113): frames, and the state of a connection and its streams, as a server or a
// client, with extended CONNECT (RFC 8441) and priorities (RFC 9218). It does no I/O, takes no lock, starts no goroutine
// and reads no clock: [Conn.Next] takes bytes that arrived and gives events, the Append methods append bytes to send, and
// time is a parameter, in nanoseconds of a clock that never goes back.
//
// Whoever owns a [Conn] reads like this:
//
//	for {
//		ev, n, err := c.Next(in, now)
//		in = in[n:]
//		if err != nil { /* send c.AppendPending, a GOAWAY among it, and close */ }
//		if ev.Kind == http2.None { break } // keep the rest of in, read more behind it
//		/* act on ev */
//	}
//
// and sends what the Append methods gave in the order in which they were called: they encode header sections, and the
// peer decodes them in that order. Each of them first appends what the connection itself has to say (acknowledgements,
// window updates, resets), so that [Conn.AppendPending] is needed only when there is nothing else to send.
//
// No value of this package may be used by two goroutines at once. What is refused, and what costs a peer how much of its
// budget, stands in [the rules].
//
// [the rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http2.md
package http2
