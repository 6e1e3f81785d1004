package nethttp

import (
	"net/http"
	"net/url"

	"github.com/shockwave-go/shockwave/server"
)

// exchange holds all that one request needs, except for the text and the values of its fields, in one allocation. It is
// never reused: a handler may keep any part of it for as long as it likes.
//
// Three locks keep a handler that goes on using it from reaching the next request. res.mu is held while the response
// is written, body.mu while the body is read: both may be held while waiting for the peer, and both at the same time.
// ctx.mu is held only for moments. Lock order: res.mu, body.mu, ctx.mu.
type exchange struct {
	req  http.Request
	url  url.URL
	ctx  requestContext
	res  h1Response
	body *body // nil if the request has no body
}

// blank is the initial value of every request.
var blank http.Request

// newExchange makes an exchange for a native request and its writer. It fails if the target is not a valid URL.
func newExchange(c *connection, nw *server.ResponseWriter, nr *server.Request) (*exchange, error) {
	x := new(exchange)
	x.ctx.conn, x.ctx.nr, x.ctx.nw = c, nr, nw
	// WithContext is the only way to give a Request a context; its copy of blank stays on the stack.
	x.req = *blank.WithContext(&x.ctx)
	if err := x.fill(c, nr); err != nil {
		return nil, err
	}
	x.res.x, x.res.nw, x.res.header = x, nw, make(http.Header)
	x.res.connect = x.req.Method == http.MethodConnect // kept because the handler may change Method
	return x, nil
}

// writer returns the http.ResponseWriter for the handler.
func (x *exchange) writer() http.ResponseWriter {
	if x.req.ProtoMajor > 1 {
		return &x.res.response
	}
	return &x.res
}

// finish ends the exchange after the handler has returned. It detaches everything that the handler may still hold
// from the connection: after it, the native request may be used for the next message.
func (x *exchange) finish() {
	x.ctx.detach(true)
	nw := x.res.finish()
	if x.body != nil && !x.body.detach() {
		// Another goroutine is still reading the body, and may wait long for the peer. Send the response first, then
		// interrupt the Read. This costs the connection (the stream, with HTTP/2), but not the response.
		x.sendRest(nw)
		x.body.detachInterrupting(nw)
	}
	if x.req.MultipartForm != nil {
		x.req.MultipartForm.RemoveAll() // as net/http does: the server owns the temporary files
	}
}

// closeAfter ends a connection of HTTP/1 after the response, because it is not known where the next message would
// begin. With HTTP/2 other streams are not affected, and it does nothing.
func (x *exchange) closeAfter(nw *server.ResponseWriter) {
	if x.req.ProtoMajor == 1 {
		nw.CloseAfter()
	}
}

// abandon ends the exchange of a handler that did not return normally. Nothing more is sent.
func (x *exchange) abandon() {
	x.ctx.detach(true)
	nw := x.res.detach()
	if x.body != nil {
		x.body.detachInterrupting(nw)
	}
}
