package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server/internal/bodyplan"
)

// Request is a request as a native handler sees it. It is an io.Reader of the body.
//
// The byte slices that its methods return are valid until the handler returns or takes the connection over. They must
// not be changed. The methods must be called on the handler's goroutine, except where otherwise noted.
type Request struct {
	x         *exchange
	head      *shockwave.RequestHead // owned by the h1Message or h2Stream
	length    int64                  // of the body, -1 if unknown
	method    bodyplan.Method
	major     uint8
	minor     uint8
	keepAlive bool
	upgrade   bool
	body      requestBody
}

// noHead is the head of a Request that has not been filled in.
var noHead shockwave.RequestHead

// reset prepares r for the next message. At most maxBody bytes of its body may be read.
func (r *Request) reset(maxBody int64) {
	r.head, r.length, r.method = &noHead, 0, bodyplan.AnyMethod
	r.body.Reset(maxBody)
	r.body.streamTrailer = nil
}

// begin sets the head of r, and the length of its body, -1 if unknown.
func (r *Request) begin(head *shockwave.RequestHead, length int64) {
	r.head, r.length = head, length
	r.method = bodyplan.MethodOf(head.Method)
}

// Method returns the method as sent; methods are case-sensitive.
func (r *Request) Method() []byte { return r.head.Method }

// Target returns the request-target as received (RFC 9112 §3.2). For HTTP/2 it is the target that an HTTP/1.1 request
// would have (RFC 9113 §8.3.1).
func (r *Request) Target() []byte { return r.head.Target }

// Path returns the path as received, not decoded. It is "/" for an absolute target without a path (RFC 9112 §3.2.1),
// "*" for the target "*", and empty for CONNECT, unless that has a path (RFC 8441).
func (r *Request) Path() []byte {
	if len(r.head.Path) == 0 && len(r.head.Scheme) > 0 {
		return rootPath
	}
	return r.head.Path
}

var rootPath = []byte("/")

// Query returns the part of the target after the first "?", not decoded.
func (r *Request) Query() []byte { return r.head.Query }

// Host returns the host and port that the request is for: those of the target if it has them, otherwise those of the
// Host field (RFC 9110 §7.1).
func (r *Request) Host() []byte { return r.head.Host }

// ProtoMajor returns the major HTTP version: 1, 2 or 3. See Multiplexed.
func (r *Request) ProtoMajor() int { return int(r.major) }

// ProtoMinor returns the minor HTTP version: 1 for HTTP/1.1, 0 for HTTP/1.0, HTTP/2 and HTTP/3.
func (r *Request) ProtoMinor() int { return int(r.minor) }

// Header returns the header fields. It must not be changed. Its Bytes start with the method, a space and the target and
// contain all lines; for HTTP/1 they are the whole head. For HTTP/2 the names are in lower case and the first line is
// host.
func (r *Request) Header() *shockwave.Header { return &r.head.Header }

// ContentLength returns the length of the body in bytes, 0 if there is no body, -1 if the length is unknown.
func (r *Request) ContentLength() int64 { return r.length }

// Chunked reports whether the body uses the chunked transfer coding (RFC 9112 §7.1), which HTTP/2 does not have.
func (r *Request) Chunked() bool { return r.length < 0 && r.major == 1 }

// KeepAlive reports whether the client wants to use the connection again (RFC 9112 §9.3).
func (r *Request) KeepAlive() bool { return r.keepAlive }

// Upgrade reports whether the client asks to change the protocol (RFC 9110 §7.8). A handler that agrees takes the
// connection over with Hijack.
func (r *Request) Upgrade() bool { return r.upgrade }

// Multiplexed reports whether the request came on a stream of HTTP/2 or HTTP/3, beside others on its connection. That may be so with ProtoMajor 1, too, if
// it opens a WebSocket: clients do that with an extended CONNECT (RFC 8441), which handlers see as an upgrade of HTTP/1.1.
func (r *Request) Multiplexed() bool { return r.major >= 2 || r.method == bodyplan.Upgrade }

// RemoteAddr returns the client's address.
func (r *Request) RemoteAddr() net.Addr { return r.x.link.RemoteAddr() }

// LocalAddr returns the address that the client has connected to.
func (r *Request) LocalAddr() net.Addr { return r.x.link.LocalAddr() }

// TLS returns the state of the TLS connection, nil if the connection does not use TLS.
func (r *Request) TLS() *tls.ConnectionState { return r.x.link.TLS() }

// ConnValue returns the value that Config.OnConn returned for the connection.
func (r *Request) ConnValue() any { return r.x.connValue }

// ClientGone reports whether the client has gone: it has closed its side of the connection or the whole connection, has reset
// the connection or the stream, a read or write has failed for such a reason, or Server.Close was called. What is not known
// already costs one system call. On a connection that has no descriptor, and on other systems than Linux, only a read can
// tell: the first ClientGone begins one and gives it a millisecond. Any goroutine may call ClientGone while the handler runs.
func (r *Request) ClientGone() bool { return r.x.link.Gone() }

// OnClientGone arranges that f is called once, on a goroutine of its own, when the client closes its side of the connection,
// or the whole connection, while the handler runs: whenever ClientGone would become true. stop cancels that and reports whether f
// will not be called. It is cancelled when the handler returns, and by the next call of OnClientGone or OnClientGoneInline. Any
// goroutine may call OnClientGone and stop while the handler runs, but only one at a time.
//
// OnClientGone itself allocates nothing, and so it is small enough to be inlined: a caller that ignores stop gets none made.
func (r *Request) OnClientGone(f func()) (stop func() bool) { return r.x.setOnGone(f).Stop }

// OnClientGoneInline is OnClientGone for an f that is called on the goroutine that notices: before the Read or Write returns that has
// failed because the client has gone, and before Server.Close returns. f must not block and must not use the request or its
// response. If the client is known to have gone, f is called before OnClientGoneInline returns.
func (r *Request) OnClientGoneInline(f func()) { r.x.setOnGoneInline(f) }

// ShuttingDown reports whether the server is shutting down, so that this response is the last on the connection. Any
// goroutine may call it.
func (r *Request) ShuttingDown() bool { return r.x.link.Draining() }
