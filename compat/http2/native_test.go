package http2

import (
	"context"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/server"
)

// asNative is std's handler as a native one, in the few lines that a program of its own would write: what the rows then
// show is what the native server does, and nothing of package nethttp.
func asNative(std *http.Server) server.Handler {
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		r.SetMaxBody(-1)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer r.OnClientGone(cancel)()
		n := &nativeWriter{w: w, header: http.Header{}}
		std.Handler.ServeHTTP(n, nativeRequest(ctx, r))
		n.end()
	})
}

// nativeRequest is r as handlers of net/http want it.
func nativeRequest(ctx context.Context, r *server.Request) *http.Request {
	q := &http.Request{
		Method: string(r.Method()), Proto: "HTTP/2.0", ProtoMajor: r.ProtoMajor(), RequestURI: string(r.Target()), Host: string(r.Host()),
		ContentLength: r.ContentLength(), Header: fieldsOf(r.Header()), RemoteAddr: r.RemoteAddr().String(), TLS: r.TLS(),
	}
	q.URL, _ = url.ParseRequestURI(q.RequestURI)
	if q.Method == http.MethodConnect {
		q.URL = &url.URL{Host: q.RequestURI}
	}
	if q.Header.Get("Trailer") != "" {
		q.Trailer = http.Header{}
		for name := range strings.SplitSeq(q.Header.Get("Trailer"), ",") {
			q.Trailer[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = nil
		}
		delete(q.Header, "Trailer")
	}
	delete(q.Header, "Host")
	q.Body = &nativeBody{r, q}
	return q.WithContext(ctx)
}

func fieldsOf(h *shockwave.Header) http.Header {
	all := http.Header{}
	for i := range h.Len() {
		name, value := h.At(i)
		all.Add(string(name), string(value))
	}
	return all
}

// nativeBody reads the body, and the trailers behind it.
type nativeBody struct {
	r *server.Request
	q *http.Request
}

// Read implements io.Reader.
func (b *nativeBody) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err == io.EOF && b.q.Trailer != nil {
		for name, values := range fieldsOf(b.r.Trailer()) {
			b.q.Trailer[name] = values
		}
	}
	return n, err
}

// Close implements io.Closer.
func (b *nativeBody) Close() error { return nil }

// nativeWriter is an http.ResponseWriter, and what http.ResponseController looks for.
type nativeWriter struct {
	w       *server.ResponseWriter
	header  http.Header
	settled bool
}

// Header implements http.ResponseWriter.
func (n *nativeWriter) Header() http.Header { return n.header }

// WriteHeader implements http.ResponseWriter.
func (n *nativeWriter) WriteHeader(code int) {
	if n.settled {
		return
	}
	if code < 200 {
		var h shockwave.Header
		add(&h, n.header)
		n.w.WriteInformational(code, &h)
		return
	}
	n.settled = true
	n.w.SetStatus(code)
	add(n.w.Header(), n.header)
	n.w.SniffType()
}

func add(to *shockwave.Header, from http.Header) {
	for name, values := range from {
		for _, value := range values {
			to.Add(name, value)
		}
	}
}

// Write implements io.Writer.
func (n *nativeWriter) Write(p []byte) (int, error) {
	n.WriteHeader(http.StatusOK)
	return n.w.Write(p)
}

// FlushError is what http.ResponseController looks for.
func (n *nativeWriter) FlushError() error {
	n.WriteHeader(http.StatusOK)
	return n.w.Flush()
}

// SetReadDeadline is what http.ResponseController looks for.
func (n *nativeWriter) SetReadDeadline(t time.Time) error { return n.w.SetReadDeadline(t) }

// SetWriteDeadline is what http.ResponseController looks for.
func (n *nativeWriter) SetWriteDeadline(t time.Time) error { return n.w.SetWriteDeadline(t) }

// EnableFullDuplex is what http.ResponseController looks for.
func (n *nativeWriter) EnableFullDuplex() error {
	n.w.EnableFullDuplex()
	return nil
}

// end does what a handler leaves to the server: a head without a body, and the trailers that were announced.
func (n *nativeWriter) end() {
	if len(n.header) > 0 {
		n.WriteHeader(http.StatusOK)
	}
	for _, names := range n.header["Trailer"] {
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			for _, value := range n.header.Values(name) {
				n.w.Trailer().Add(name, value)
			}
		}
	}
}
