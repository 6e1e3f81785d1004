package servercall

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// httpExchange is an exchange of net/http's types.
type httpExchange struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
}

// ServeHTTP serves a call as a handler of net/http does.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.serve(&httpExchange{w, r, http.NewResponseController(w)})
}

func (x *httpExchange) Method() []byte { return []byte(x.r.Method) }
func (x *httpExchange) Path() []byte   { return []byte(x.r.URL.Path) }
func (x *httpExchange) Query() []byte  { return []byte(x.r.URL.RawQuery) }
func (x *httpExchange) HTTP1() bool    { return x.r.ProtoMajor == 1 }

func (x *httpExchange) Field(name string) []byte {
	if v := x.r.Header.Get(name); v != "" {
		return []byte(v)
	}
	return nil
}

func (x *httpExchange) Fields(to fieldSink) {
	to.field(authority, []byte(x.r.Host))
	for name, values := range x.r.Header {
		name := []byte(strings.ToLower(name))
		for _, v := range values {
			to.field(name, []byte(v))
		}
	}
}

func (x *httpExchange) Addrs() (remote, local net.Addr, state *tls.ConnectionState) {
	local, _ = x.r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return textAddr(x.r.RemoteAddr), local, x.r.TLS
}

func (x *httpExchange) Parent() context.Context { return x.r.Context() }

func (x *httpExchange) ConnValue() any { return nil }

// textAddr is an address of which only the text is known.
type textAddr string

func (textAddr) Network() string  { return "tcp" }
func (a textAddr) String() string { return string(a) }

func (x *httpExchange) Read(p []byte) (int, error) { return x.r.Body.Read(p) }

func (x *httpExchange) Body(most int64) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(nil, x.r.Body, most))
}

func (x *httpExchange) Stream() {
	x.control.EnableFullDuplex() // an error says that HTTP/2 needs no leave, or that the writer cannot: then a write says so
}

func (x *httpExchange) SetReadDeadline(t time.Time) error { return x.control.SetReadDeadline(t) }
func (x *httpExchange) SetStatus(code int)                { x.w.WriteHeader(code) }
func (x *httpExchange) AddField(name, value string)       { x.w.Header().Add(name, value) }
func (x *httpExchange) AddTrailer(name, value string) {
	x.w.Header().Add(http.TrailerPrefix+name, value)
}
func (x *httpExchange) Write(p []byte) (int, error) { return x.w.Write(p) }
func (x *httpExchange) Push() error                 { return x.control.Flush() }
func (x *httpExchange) Fail(code int, text string)  { http.Error(x.w, text, code) }

func (x *httpExchange) OnClientGone(f func()) (stop func() bool) {
	return context.AfterFunc(x.r.Context(), f)
}
