// Package http2 implements HTTP/2 connections without I/O (RFC 9113): frames, and the state of a connection and its
// streams, as a server or a client, with extended CONNECT (RFC 8441) and priorities (RFC 9218). It takes no locks, starts
// no goroutines and reads no clock: [Conn.Next] takes received bytes and returns events, the Append methods append bytes
// to send, and the time is a parameter, in nanoseconds of a clock that never goes back.
//
// The owner of a [Conn] reads like this:
//
//	for {
//		ev, n, err := c.Next(in, now)
//		in = in[n:]
//		if err != nil { /* send c.AppendPending, a GOAWAY among it, and close */ }
//		if ev.Kind == http2.EventNone { break } // keep the rest of in, read more behind it
//		/* act on ev */
//	}
//
// It must send what the Append methods append in the order of the calls, because the peer decodes the header sections in
// that order. Each Append method first appends what the connection itself has to send (acknowledgements, window updates,
// resets), so [Conn.AppendPending] is needed only when there is nothing else to send.
//
// The values of this package are not safe for concurrent use. What is refused, and how much of its budget a peer pays for
// what, is described in [the rules].
//
// [the rules]: https://github.com/shockwave-go/shockwave/blob/main/docs/wire/http2.md
package http2
