package servercall

import (
	"bytes"
	"context"
	"crypto/tls"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// nativeExchange is an exchange of package server.
type nativeExchange struct {
	w *server.ResponseWriter
	r *server.Request
}

var nativeExchanges = sync.Pool{New: func() any { return new(nativeExchange) }}

// ServeNative serves a call as a native handler does.
func (e *Engine) ServeNative(w *server.ResponseWriter, r *server.Request) {
	x := nativeExchanges.Get().(*nativeExchange)
	x.w, x.r = w, r
	e.serve(x)
	x.w, x.r = nil, nil
	nativeExchanges.Put(x) // not after a panic: something may still refer to it
}

func (x *nativeExchange) Method() []byte           { return x.r.Method() }
func (x *nativeExchange) Path() []byte             { return x.r.Path() }
func (x *nativeExchange) Query() []byte            { return x.r.Query() }
func (x *nativeExchange) HTTP1() bool              { return x.r.ProtoMajor() == 1 }
func (x *nativeExchange) Field(name string) []byte { return x.r.Header().Get(name) }
func (x *nativeExchange) Parent() context.Context  { return nil }
func (x *nativeExchange) ConnValue() any           { return x.r.ConnValue() }

func (x *nativeExchange) Fields(to fieldSink) {
	if host := x.r.Host(); len(host) > 0 {
		to.field(authority, host)
	}
	h := x.r.Header()
	old := x.HTTP1()
	for i := range h.Len() {
		name, value := h.At(i)
		if old {
			name = bytes.ToLower(name)
		}
		if string(name) != "host" {
			to.field(name, value)
		}
	}
}

var authority = []byte(":authority")

func (x *nativeExchange) Addrs() (remote, local net.Addr, state *tls.ConnectionState) {
	return x.r.RemoteAddr(), x.r.LocalAddr(), x.r.TLS()
}

func (x *nativeExchange) Read(p []byte) (int, error) { return x.r.Read(p) }

func (x *nativeExchange) Body(most int64) ([]byte, error) {
	x.r.SetMaxBody(most)
	return x.r.Body()
}

func (x *nativeExchange) Stream() {
	x.r.SetMaxBody(-1)
	x.w.EnableFullDuplex()
}

func (x *nativeExchange) SetReadDeadline(t time.Time) error { return x.w.SetReadDeadline(t) }
func (x *nativeExchange) SetStatus(code int)                { x.w.SetStatus(code) }
func (x *nativeExchange) AddField(name, value string)       { x.w.Header().Add(name, value) }
func (x *nativeExchange) AddTrailer(name, value string)     { x.w.Trailer().Add(name, value) }
func (x *nativeExchange) Write(p []byte) (int, error)       { return x.w.Write(p) }
func (x *nativeExchange) Push() error                       { return x.w.Push() }
func (x *nativeExchange) Fail(code int, text string)        { x.w.Error(code, text) }

func (x *nativeExchange) OnClientGone(f func()) (stop func() bool) { return x.r.OnClientGone(f) }
