package nethttp

import (
	"context"
	"io"
	"log"
	"net/http"

	"github.com/shockwave-go/shockwave/server"
)

// Handler adapts h, or http.DefaultServeMux if h is nil, to the native server. It is for programs that mix both kinds
// of handlers or need the native server's settings. The http.Server in the request's context is a placeholder made by
// Handler. The result may be called concurrently if h may be.
//
// Server is a little cheaper: it keeps for each connection what Handler has to find out for every request.
func Handler(h http.Handler) server.Handler {
	std := &http.Server{Handler: h}
	return &adapter{&connInfo{owner: unowned{h}, ctx: withServer(context.Background(), std)}}
}

// adapter is the server.Handler that calls an http.Handler.
type adapter struct {
	*connInfo // for connections without a *connection of their own
}

// unowned is the owner of the requests of a Handler.
type unowned struct{ handler http.Handler }

func (u unowned) handlerFor(r *http.Request) http.Handler { return choose(u.handler, r, true) }

func (unowned) keepAlivesOff() bool { return false }

func (unowned) logf(format string, args ...any) { log.Printf(format, args...) }

func (u unowned) logPanic(remote string, v any) { u.logf("%s", panicText(remote, v)) }

// ServeHTTP serves one request.
func (a *adapter) ServeHTTP(nw *server.ResponseWriter, nr *server.Request) {
	x, err := newExchange(a.connectionOf(nr), nw, nr)
	if err != nil {
		// The native server has already refused invalid targets. net/url may be stricter.
		if nr.ProtoMajor() == 1 {
			nw.CloseAfter()
		}
		nw.Error(http.StatusBadRequest, "400 Bad Request")
		return
	}
	a.run(x)
}

// run calls the handler. A panic is logged and ends the connection. http.ErrAbortHandler, and a panic with nil if the
// runtime permits that, end the connection without a log line. runtime.Goexit is not stopped.
func (a *adapter) run(x *exchange) {
	if !a.call(x) && (!x.res.hijacked || x.req.ProtoMajor > 1) { // a hijacked connection does not belong to the server any more
		panic(server.ErrAbort)
	}
}

// call calls the handler and reports whether it has returned. If the handler calls runtime.Goexit, call does not
// return.
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
	a.owner.handlerFor(&x.req).ServeHTTP(x.writer(), &x.req)
	x.finish()
	return true
}

// choose returns h, or what stands for it: http.DefaultServeMux for nil, and for "OPTIONS *" a handler of our own if
// options is true.
func choose(h http.Handler, r *http.Request, options bool) http.Handler {
	if options && r.RequestURI == "*" && r.Method == http.MethodOptions {
		return http.HandlerFunc(serverOptions)
	}
	return orDefault(h)
}

// serverOptions responds to OPTIONS *, which is a ping of the server as a whole (RFC 9110 §9.3.7).
func serverOptions(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", "0")
	if r.ContentLength != 0 {
		// A body has no meaning here. A short one is read so that the connection can be kept.
		io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, 4<<10))
	}
}

// orDefault returns h, or http.DefaultServeMux if h is nil.
func orDefault(h http.Handler) http.Handler {
	if h == nil {
		return http.DefaultServeMux
	}
	return h
}
