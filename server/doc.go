// Package server serves HTTP/2, HTTP/1.1 and HTTP/1.0 to native handlers: no allocation per request, bodies streamed,
// handlers that may block. All versions are spoken on every port, unless [Config].Protocols says otherwise.
//
// A handler is given a [Request] and a [ResponseWriter]. What they give out as []byte stands in the connection's buffers
// and is valid until the handler returns: copy what you keep. For net/http's types, whose values may be kept for ever,
// see [github.com/shockwave-go/shockwave/nethttp].
//
// The answers to all requests that one read brought leave in one write. On HTTP/1 a handler runs on its connection's
// goroutine, on HTTP/2 on one of the server's workers. Limits are on by default: a zero field of
// [Config] means its default, a negative one none. What they defend against stands in [the security page].
//
// [the security page]: https://github.com/shockwave-go/shockwave/blob/main/SECURITY.md
package server

// How a request travels: netconn gives the bytes that arrived to conn.Data; http1 parses the head; an exchange
// (Request, ResponseWriter and their buffers, from a pool) is lent to the handler; what the answer needs on the wire is
// decided once, in question.decide. A request that lies whole in the input buffer is answered on the spot.
