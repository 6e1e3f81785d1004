package server

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/defaults"
	"github.com/shockwave-go/shockwave/internal/httpread"
)

// exchange is one request and its answer as HTTP means them (RFC 9110). How a version of HTTP carries them is the affair
// of the three parts that it is put together with:
//
//	source ─► Request ─► handler ─► ResponseWriter ─► sink
//	                └── link: deadlines, addresses, TLS ──┘
//
// It is a part of what carries it: h1Message for HTTP/1.1, h2Stream for HTTP/2.
type exchange struct {
	srv       *Server
	source    source
	sink      sink
	link      link
	connValue any // Request.ConnValue

	req Request
	res ResponseWriter

	stopGone func() bool // takes the wish of OnGone back
	decoded  []byte      // what Values and Mux have decoded
	route    route       // what a Mux has found
}

// source is where the bytes of a request's body come from: with the transfer coding of HTTP/1.1, or bare.
type source = httpread.Conn

// sink frames an answer for the wire. Its methods are for the goroutine that writes. Errors are what every later write
// says.
type sink interface {
	// begin makes the head of w's answer, which is planned; nothing need leave yet. contentType, unless it is empty,
	// replaces the handler's. whole: all of the body is kept back in w.
	begin(w *ResponseWriter, contentType string, whole bool)
	// pass sends what begin has made, if that has not left, the bytes that w keeps back, and p, which is not kept. It
	// may leave them to be sent together with what follows.
	send(w *ResponseWriter, p []byte) error
	// end is pass of all that is left, and the end of the answer: its last bytes are on their way. broken: the body is
	// not what its head says.
	end(w *ResponseWriter, broken bool) error
	// inform sends an informational answer at once. h may be nil. With 100 and no h it is for the goroutine that reads.
	inform(code int, h *shockwave.Header) error
	// flush returns when all that was passed has left.
	flush() error
	// hijack gives up the connection, or what is one to the client, with what has been read ahead.
	hijack() (net.Conn, []byte, error)
}

// link is the connection as one exchange may use it.
type link interface {
	NetConn() net.Conn
	TLS() *tls.ConnectionState
	LocalAddr() net.Addr
	RemoteAddr() net.Addr
	Now() time.Time
	Draining() bool
	OnGone(f func()) (stop func() bool)
	AllowPauses()
	SetReadDeadline(t time.Time) error
	SetWriteDeadline(t time.Time) error
}

// keptScratch is how much of each of its buffers an exchange keeps when it goes back to the pool.
const keptScratch = 16 << 10

// init makes x ready for its first request, which m carries.
func (x *exchange) init(s *Server, m sink) {
	x.srv, x.sink = s, m
	x.req.x, x.res.x = x, x
	x.reset()
}

// reset makes x ready for the next request.
func (x *exchange) reset() {
	x.req.reset(x.srv.cfg.MaxBodyBytes)
	x.res.reset()
	x.decoded = x.decoded[:0]
	x.route.reset()
	if x.stopGone != nil {
		x.stopGone()
		x.stopGone = nil
	}
}

// trim is reset for an x that is kept for another connection: it lets large memory go.
func (x *exchange) trim() {
	x.reset()
	x.source, x.link, x.connValue = nil, nil, nil
	x.decoded = trim(x.decoded)
	x.req.body.buf = trim(x.req.body.buf)
	x.res.buf = trim(x.res.buf)
	x.res.header.Trim(keptScratch)
	x.res.trailer.Trim(keptScratch)
}

// serve runs the handler.
func (x *exchange) serve() { x.srv.cfg.Handler.ServeHTTP(&x.res, &x.req) }

// panicked counts and logs a panic.
func (x *exchange) panicked(v any) {
	x.srv.panics.Add(1)
	x.srv.log.Error("server: handler panicked", "panic", v, "remote", x.link.RemoteAddr(),
		defaults.StackKey, string(debug.Stack()))
}

// quiet reports whether a panic is a handler's way to end the connection.
func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && (errors.Is(err, ErrAbort) || errors.Is(err, http.ErrAbortHandler))
}

// trim empties b, and lets it go if it has grown large.
func trim(b []byte) []byte {
	if cap(b) > keptScratch {
		return nil
	}
	return b[:0]
}
