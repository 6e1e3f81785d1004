package nethttp

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/nethttp/internal/headermap"
	"github.com/shockwave-go/shockwave/server"
)

// fill fills x.req from the native request. The head is copied once, and all strings are substrings of that copy.
func (x *exchange) fill(c *connection, nr *server.Request) error {
	r := &x.req
	lines := nr.Header()
	head, values := headermap.KeepHead(lines.Bytes(), max(0, lines.Len()-1)) // Host is not in the map

	r.Method = methodText(head, nr.Method())
	r.RequestURI = partOf(head, len(nr.Method())+1, nr.Target())
	if err := x.parseTarget(); err != nil {
		return err
	}
	r.URL = &x.url
	switch {
	case nr.ProtoMajor() == 2:
		r.ProtoMajor, r.ProtoMinor, r.Proto = 2, 0, "HTTP/2.0"
	case nr.ProtoMajor() == 3:
		r.ProtoMajor, r.ProtoMinor, r.Proto = 3, 0, "HTTP/3.0"
	case nr.ProtoMinor() == 0:
		r.ProtoMajor, r.ProtoMinor, r.Proto = 1, 0, "HTTP/1.0"
	default:
		r.ProtoMajor, r.ProtoMinor, r.Proto = 1, 1, "HTTP/1.1"
	}
	r.Header, r.Host = headermap.MakeHeader(lines, head, values, "Host")
	headermap.PragmaToCacheControl(r.Header)
	if host := nr.Host(); string(host) != r.Host {
		r.Host = string(host) // the target's host goes before the field's (RFC 9112 §3.2.2); both are as received
	}
	r.RemoteAddr = c.remote
	r.TLS = c.tls
	r.Close = !nr.KeepAlive()
	return x.fillBody(nr)
}

// fillBody sets the body and the fields of x.req that describe it.
func (x *exchange) fillBody(nr *server.Request) error {
	r := &x.req
	r.Body = http.NoBody
	switch {
	case nr.Chunked():
		r.TransferEncoding = []string{"chunked"}
		delete(r.Header, "Transfer-Encoding")
	case nr.ContentLength() == 0:
		return nil
	}
	r.ContentLength = nr.ContentLength()
	if r.ContentLength < 0 || r.ProtoMajor > 1 {
		var err error
		if r.Trailer, err = announcedTrailer(r.Header); err != nil {
			return err
		}
	}
	x.body = &body{x: x, nr: nr, remaining: r.ContentLength}
	if nr.ProtoMajor() > 1 {
		x.body.remaining = -1 // trailers may follow even with a Content-Length (RFC 9113 §8.1)
	}
	x.body.expect = r.ProtoAtLeast(1, 1) && strings.EqualFold(r.Header.Get("Expect"), "100-continue")
	r.Body = x.body
	return nil
}

// errFramingTrailer refuses a request whose Trailer field announces a framing field.
var errFramingTrailer = errors.New("a Trailer field names a framing field")

// announcedTrailer removes the Trailer field from h and returns its names, without values yet (RFC 9110 §6.6.2).
// Framing fields in it are an attempt to make two parsers read the message differently, so they are refused. Other
// fields that must not be trailers are left out.
func announcedTrailer(h http.Header) (http.Header, error) {
	fields, ok := h["Trailer"]
	if !ok {
		return nil, nil
	}
	delete(h, "Trailer")
	var t http.Header
	for _, field := range fields {
		for name := range http1.Elements(field) {
			key := http.CanonicalHeaderKey(name)
			switch key {
			case "Content-Length", "Trailer", "Transfer-Encoding":
				return nil, errFramingTrailer
			}
			if !trailerAllowed(key) {
				continue
			}
			if t == nil {
				t = make(http.Header)
			}
			t[key] = nil
		}
	}
	return t, nil
}

// partOf returns head[at:at+len(b)] if that equals b, otherwise a copy of b.
func partOf(head string, at int, b []byte) string {
	if end := at + len(b); end <= len(head) && head[at:end] == string(b) {
		return head[at:end]
	}
	return string(b)
}

// methodText returns the method m as a string: a constant if it is a common one, otherwise a part of head.
func methodText(head string, m []byte) string {
	switch string(m) {
	case http.MethodGet:
		return http.MethodGet
	case http.MethodHead:
		return http.MethodHead
	case http.MethodPost:
		return http.MethodPost
	case http.MethodPut:
		return http.MethodPut
	case http.MethodPatch:
		return http.MethodPatch
	case http.MethodDelete:
		return http.MethodDelete
	case http.MethodOptions:
		return http.MethodOptions
	case http.MethodConnect:
		return http.MethodConnect
	}
	return partOf(head, 0, m)
}

// parseTarget parses r.RequestURI into x.url, as net/http does (RFC 9112 §3.2).
func (x *exchange) parseTarget() error {
	target := x.req.RequestURI
	if x.req.Method == http.MethodConnect && target[0] != '/' {
		x.url.Host = target // a host and port, which is not a URL
		return nil
	}
	if plainTarget(target, &x.url) {
		return nil
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return err
	}
	x.url = *u
	return nil
}
