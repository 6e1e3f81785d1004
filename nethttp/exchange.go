package nethttp

import (
	"net/http"
	"net/url"

	"github.com/shockwave-go/shockwave/server"
)

// inlineValues is how many field lines besides Host a head may have before their values get a slice of their own.
const inlineValues = 12

// exchange is all that one request needs, in one allocation. It is never used again: a handler may keep any part of
// it for as long as it likes.
//
// Three locks keep a handler's leftovers away from the next request. res.mu is held while the answer is written,
// body.mu while the body is read: both may wait for the peer, and they may be held at the same time. ctx.mu is only
// held for moments. Whoever needs several of them takes res.mu before body.mu before ctx.mu.
type exchange struct {
	req  http.Request
	url  url.URL
	ctx  requestContext
	res  response
	body *body // nil if there is none
}

// fullExchange is an exchange with room for the values of its fields: with them it is still one allocation. Whoever
// asks for nothing but a page need not pay for that room.
type fullExchange struct {
	exchange
	values [inlineValues]string
}

// blank is what every request starts as.
var blank http.Request

// newExchange joins a native request and its writer to net/http's types. It fails if the target is no URL.
func newExchange(c *connection, nw *server.ResponseWriter, nr *server.Request) (*exchange, error) {
	var x *exchange
	var values []string // a field line that is not Host needs one each
	switch lines := nr.Header().Len(); {
	case lines <= 1:
		x = new(exchange)
	case lines <= inlineValues+1:
		full := new(fullExchange)
		x, values = &full.exchange, full.values[:0]
	default:
		x, values = new(exchange), make([]string, 0, lines)
	}
	x.ctx.conn, x.ctx.nr, x.ctx.nw = c, nr, nw
	// The only way to give a Request a context; the copy that WithContext makes stays on the stack.
	x.req = *blank.WithContext(&x.ctx)
	if err := x.fill(c, nr, values); err != nil {
		return nil, err
	}
	x.res.x, x.res.nw, x.res.header = x, nw, make(http.Header)
	x.res.connect = x.req.Method == http.MethodConnect // the handler may change that
	return x, nil
}

// finish ends the exchange in good order, after the handler returned. It cuts everything that a handler may still hold
// from the connection: after it the native request may be used for the next message.
func (x *exchange) finish() {
	x.ctx.leave(true)
	nw := x.res.finish()
	if x.body != nil && !x.body.release() {
		// Another goroutine still reads the body, and may wait for the peer for long: the answer is sent first and the
		// read broken off. The connection, or of HTTP/2 the stream, is lost; the answer is not.
		x.sendRest(nw)
		x.body.breakOff(nw)
	}
	if x.req.MultipartForm != nil {
		x.req.MultipartForm.RemoveAll() // as net/http does: the temporary files are the server's
	}
}

// closeAfter ends a connection of HTTP/1 behind the answer, where it is not known where a next message would begin. On
// HTTP/2 no other stream depends on that.
func (x *exchange) closeAfter(nw *server.ResponseWriter) {
	if x.req.ProtoMajor == 1 {
		nw.CloseAfter()
	}
}

// abandon ends the exchange of a handler that did not return. Nothing more is sent.
func (x *exchange) abandon() {
	x.ctx.leave(true)
	nw := x.res.detach()
	if x.body != nil {
		x.body.breakOff(nw)
	}
}
