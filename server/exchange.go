package server

import (
	"errors"
	"math"
	"net"
	"net/http"
	"runtime/debug"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/core/defaults"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
	"github.com/shockwave-go/shockwave/server/internal/behaviour"
	"github.com/shockwave-go/shockwave/server/internal/muxtree"
	"github.com/shockwave-go/shockwave/server/internal/params"
)

// exchange is one request and its response, with the semantics of RFC 9110. It does not know how a version of HTTP
// carries them; that is done by three parts:
//
//	source ─► Request ─► handler ─► ResponseWriter ─► sink
//	                └── link: deadlines, addresses, TLS ──┘
//
// It is embedded in the types that carry it: h1Message for HTTP/1.1, and fieldMessage for the later versions.
type exchange struct {
	srv       *service
	source    source
	sink      sink
	link      link
	connValue any // Request.ConnValue

	req Request
	res ResponseWriter

	onGone  netconn.GoneCall // the call of link.OnGone that is in effect
	decoder params.Decoder   // of what Values and Mux have decoded
	route   muxtree.Match    // the route that a Mux has found
}

// source provides the bytes of a request's body. On HTTP/1.1 they still include the transfer coding.
type source = httpread.Conn

// sink writes a response to the wire. Only the goroutine that writes the response may call its methods, except where
// noted. An error that a method returns is the result of every later write.
type sink interface {
	// begin prepares the head of w's response, whose plan is decided. It need not send anything yet. A contentType that
	// is not empty replaces the handler's. whole reports that the complete body is buffered in w. next is buffering or
	// streaming.
	begin(w *ResponseWriter, contentType string, whole bool) (next phase)
	// send sends the prepared head, if it has not been sent, then the bytes buffered in w, then p. It does not keep p.
	// It may leave the output queued so that it is sent together with later output.
	send(w *ResponseWriter, p []byte) error
	// end sends all that is left, as send does, and ends the response. broken reports that the body is not as long as
	// the head says.
	end(w *ResponseWriter, broken bool) error
	// inform sends an informational response at once. h may be nil. The goroutine that reads the body may call it too,
	// with code 100 and a nil h.
	inform(code int, h *shockwave.Header) error
	// flush sends the queued output. On HTTP/1 it returns when the output has been sent; on HTTP/2 it does not wait for
	// that.
	flush() error
	// push makes sure that the queued output is sent soon.
	push() error
	// hijack hands the connection, or the stream that serves as one, to the caller, together with the bytes read ahead.
	// A response that was begun is flushed first, but not if the error is http.ErrNotSupported.
	hijack() (net.Conn, []byte, error)
}

// link is the part of a connection's interface that one exchange uses.
type link = carrier.Link

// keptScratch is the largest size of a buffer that an exchange keeps when it returns to the pool.
const keptScratch = 16 << 10

// init prepares a new x for its first request. The type that embeds it is, or holds, its three parts.
func (x *exchange) init(s *service, from source, to sink, on link) {
	x.srv, x.source, x.sink, x.link = s, from, to, on
	x.req.x, x.res.x = x, x
	x.reset()
}

// reset prepares x for the next request.
func (x *exchange) reset() {
	x.req.reset(x.srv.cfg.MaxBodyBytes)
	x.res.reset()
	x.decoder.Reset(math.MaxInt)
	x.route.Reset()
	x.cancelOnGone()
}

// setOnGone makes f the function that is called when the client goes.
func (x *exchange) setOnGone(f func()) netconn.GoneCall {
	x.cancelOnGone()
	x.onGone = x.link.OnGone(f)
	return x.onGone
}

// setOnGoneInline is setOnGone for an f that is called on the goroutine that notices.
func (x *exchange) setOnGoneInline(f func()) {
	x.cancelOnGone()
	x.onGone = x.link.OnGoneInline(f)
}

// cancelOnGone removes the function set by OnClientGone, if there is one.
func (x *exchange) cancelOnGone() {
	if k := x.onGone.Keeper; k != nil {
		k.ForgetGone(x.onGone.Number)
		x.onGone = netconn.GoneCall{}
	}
}

// trim drops the connection's value and large buffers before x, which has been reset, returns to the pool.
func (x *exchange) trim() {
	x.connValue = nil
	x.decoder.Reset(keptScratch)
	trim(&x.req.body.buf)
	trim(&x.res.buf)
	x.res.header.Trim(keptScratch)
	x.res.trailer.Trim(keptScratch)
}

// serve calls the handler.
func (x *exchange) serve() {
	if v := x.srv.altSvc.Load(); v != nil && x.req.major < 3 && x.link.TLS() != nil {
		x.res.header.Set("Alt-Svc", *v)
	}
	x.srv.cfg.Handler.ServeHTTP(&x.res, &x.req)
}

// panicked counts and logs a panic of the handler.
func (x *exchange) panicked(v any) {
	x.srv.panics.Add(1)
	x.srv.log.Error("server: handler panicked", "panic", v, "remote", x.link.RemoteAddr(),
		defaults.StackKey, string(debug.Stack()))
}

// isAbort reports whether v, the value of a panic, asks to abort the connection without a log line.
func isAbort(v any) bool {
	err, ok := v.(error)
	return ok && (errors.Is(err, ErrAbort) || errors.Is(err, http.ErrAbortHandler))
}

// trim empties b, and frees its memory if it has grown large.
func trim(b *[]byte) {
	*b = (*b)[:0]
	if cap(*b) > keptScratch {
		*b = nil
	}
}

// hasQuirk reports whether the server has the quirk one.
func (x *exchange) hasQuirk(one behaviour.Quirks) bool { return x.srv.behaviour.Quirks.Has(one) }
