package server

import (
	"crypto/tls"
	"net"

	"github.com/shockwave-go/shockwave"
)

// Request is a request as a native handler sees it. It is an io.Reader of the body.
//
// Slices that it gives out are borrowed: they are valid until the handler returns or takes the connection over, and
// must not be changed. Its methods are for the handler's goroutine, except where otherwise noted.
type Request struct {
	x         *exchange
	head      *shockwave.RequestHead // the carrier's
	length    int64                  // of the body, -1 if only its end tells
	method    method
	major     uint8
	minor     uint8
	keepAlive bool
	upgrade   bool
	body      requestBody
}

// noHead is the head of a Request before its message.
var noHead shockwave.RequestHead

// reset makes r ready for the next message, of which maxBody bytes may be read.
func (r *Request) reset(maxBody int64) {
	r.head, r.length, r.method = &noHead, 0, anyMethod
	r.body.Reset(maxBody)
	r.body.streamTrailer = nil
}

// begin makes r the request with a head, and a body of length bytes, -1 if only its end tells.
func (r *Request) begin(head *shockwave.RequestHead, length int64) {
	r.head, r.length = head, length
	r.method = methodOf(head.Method)
}

// Method returns the method, case kept.
func (r *Request) Method() []byte { return r.head.Method }

// Target returns the request-target as received (RFC 9112 §3.2); of HTTP/2 what it would be in HTTP/1.1 (RFC 9113
// §8.3.1).
func (r *Request) Target() []byte { return r.head.Target }

// Path returns the path as received, not decoded. It is "/" for an absolute target without a path (RFC 9112 §3.2.1),
// "*" for the target "*" and empty for CONNECT.
func (r *Request) Path() []byte {
	if len(r.head.Path) == 0 && len(r.head.Scheme) > 0 {
		return rootPath
	}
	return r.head.Path
}

var rootPath = []byte("/")

// Query returns what follows the first "?" of the target, not decoded.
func (r *Request) Query() []byte { return r.head.Query }

// Host returns the host and port that the request is for: the target's, if it names one, else the Host field's (RFC
// 9110 §7.1).
func (r *Request) Host() []byte { return r.head.Host }

// Major returns the major version: 1 or 2.
func (r *Request) Major() int { return int(r.major) }

// Minor returns the minor version: 1 for HTTP/1.1, 0 for HTTP/1.0 and HTTP/2.
func (r *Request) Minor() int { return int(r.minor) }

// Header returns the request's fields. Its Bytes begin with the method, a space and the target, and hold all lines; of
// HTTP/1 they are the whole head. The names of HTTP/2 are in lower case, and the first of its lines is host. It must
// not be changed.
func (r *Request) Header() *shockwave.Header { return &r.head.Header }

// ContentLength returns the length of the body in bytes, 0 if there is none, -1 if only its end tells.
func (r *Request) ContentLength() int64 { return r.length }

// Chunked reports whether the body comes in chunks (RFC 9112 §7.1), which HTTP/2 does not know.
func (r *Request) Chunked() bool { return r.length < 0 && r.major == 1 }

// KeepAlive reports whether the client wants to use the connection again (RFC 9112 §9.3).
func (r *Request) KeepAlive() bool { return r.keepAlive }

// Upgrade reports whether the client asks to change the protocol (RFC 9110 §7.8). A handler that agrees answers with
// Hijack.
func (r *Request) Upgrade() bool { return r.upgrade }

// RemoteAddr returns the client's address.
func (r *Request) RemoteAddr() net.Addr { return r.x.link.RemoteAddr() }

// LocalAddr returns the address that the client connected to.
func (r *Request) LocalAddr() net.Addr { return r.x.link.LocalAddr() }

// TLS returns the state of the connection's TLS, nil without TLS.
func (r *Request) TLS() *tls.ConnectionState { return r.x.link.TLS() }

// ConnValue returns what Config.OnConn returned for the connection.
func (r *Request) ConnValue() any { return r.x.connValue }

// OnGone calls f once, on a goroutine of its own, when the client closes its half of the connection, or all of it,
// while the handler runs. stop takes the wish back and reports whether f will not be called. The wish ends with the
// handler; a second one takes the place of the first. OnGone and stop may be called by any goroutine as long as the
// handler runs, one at a time.
func (r *Request) OnGone(f func()) (stop func() bool) {
	r.x.stopGone = r.x.link.OnGone(f)
	return r.x.stopGone
}

// Draining reports whether the server shuts down: the answer is the connection's last. Any goroutine may call it.
func (r *Request) Draining() bool { return r.x.link.Draining() }
