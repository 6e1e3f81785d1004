// Package server serves HTTP/2, HTTP/1.1 and HTTP/1.0 to native handlers. It allocates nothing per request, streams
// bodies, and lets handlers block. Every port speaks all versions, unless [Config].Protocols says otherwise.
//
// A handler receives a [Request] and a [ResponseWriter]. The byte slices that they return point into the connection's
// buffers and are valid until the handler returns: copy what must live longer. For handlers that use net/http's types,
// whose values may be kept for ever, see [github.com/shockwave-go/shockwave/nethttp].
//
// The responses to all requests that arrived in one read leave in one write. On HTTP/1 a handler runs on the goroutine
// of its connection, on HTTP/2 on one of the server's workers. Limits are on by default: a zero field of [Config] means
// its default, a negative one means no limit. [The security page] lists the attacks that they prevent.
//
// [The security page]: https://github.com/shockwave-go/shockwave/blob/main/SECURITY.md
package server

// The path of a request: netconn passes the bytes that arrived to h1Conn.Data, or to h2conn.Conn.Data on HTTP/2. http1
// or http2 parses the head. An exchange (Request, ResponseWriter and their buffers) is taken from a pool and given to
// the handler. planInput.decide decides in one place whether the response has a length and a body. On HTTP/1, a request
// that lies whole in the input buffer is served without reading again.
