package nethttp

import (
	"context"
	"io"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// Handler adapts h, http.DefaultServeMux if nil, to the native server: for programs that mix both kinds of handlers
// or want the native server's settings. The http.Server in the request's context is one made for this purpose.
// What it returns may be called concurrently, as h may.
//
// Server is a little cheaper: it keeps per connection what Handler must find out for every request.
func Handler(h http.Handler) server.Handler {
	std := &http.Server{Handler: h}
	return &adapter{handler: h, setting: &setting{ctx: withServer(context.Background(), std)}}
}

// adapter is an http.Handler as a native one.
type adapter struct {
	handler  http.Handler // Handler's; a Server has its own
	*setting              // of connections that bring none
}

// ServeHTTP answers one request.
func (a *adapter) ServeHTTP(nw *server.ResponseWriter, nr *server.Request) {
	x, err := newExchange(a.connectionOf(nr), nw, nr)
	if err != nil {
		// The native server has refused what is no target. Should net/url be stricter, so are we.
		if nr.Major() == 1 {
			nw.CloseAfter()
		}
		nw.Error(http.StatusBadRequest, "400 Bad Request")
		return
	}
	a.run(x)
}

// run calls the handler. A panic is logged and ends the connection; http.ErrAbortHandler, and nil where panic takes that,
// end it in silence; runtime.Goexit passes through.
func (a *adapter) run(x *exchange) {
	if !a.call(x) && !x.res.hijacked { // then the connection is not the server's any more
		panic(server.ErrAbort)
	}
}

// call reports whether the handler has returned. With runtime.Goexit call does not.
func (a *adapter) call(x *exchange) (returned bool) {
	defer func() {
		if returned {
			return
		}
		v := recover()
		x.abandon()
		if v != nil && v != http.ErrAbortHandler {
			x.ctx.conn.owner.logPanic(x.ctx.conn.remote, v)
		}
	}()
	a.choose(&x.req).ServeHTTP(&x.res, &x.req)
	x.finish()
	return true
}

// choose returns the handler for r.
func (a *adapter) choose(r *http.Request) http.Handler {
	if r.RequestURI == "*" && r.Method == http.MethodOptions {
		if a.owner == nil || !a.owner.DisableGeneralOptionsHandler {
			return http.HandlerFunc(serverOptions)
		}
	}
	if a.owner != nil {
		return orDefault(a.owner.Handler)
	}
	return orDefault(a.handler)
}

// serverOptions answers OPTIONS *: a ping of the server as a whole (RFC 9110 §9.3.7).
func serverOptions(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "0")
	if r.ContentLength != 0 {
		// A body has no meaning here. A short one is read so that the connection can stay.
		io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 4<<10))
	}
}
