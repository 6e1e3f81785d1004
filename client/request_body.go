package client

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
)

// checkTrailer refuses fields that must not be trailers (RFC 9110 §6.5.1).
func checkTrailer(h *Header) error {
	for name, value := range h.All() {
		if err := checkField(name, value); err != nil {
			return err
		}
		if http1.ForbiddenTrailer(name) {
			return &badRequest{"the field " + string(name) + " may not be a trailer"}
		}
	}
	return nil
}

// setBody sets the body of the call and the fields that depend on it.
func (r *Response) setBody() error {
	k, h := &r.call, &r.head
	req := h.req
	k.Body, k.Bytes, k.Rewind, k.Trailer = nil, nil, nil, nil
	switch {
	case len(req.Body) > 0:
		k.Bytes, k.Length = req.Body, int64(len(req.Body))
	case req.Stream != nil:
		r.setStream()
	default:
		k.Length = 0
	}
	if h.fields.length >= 0 && h.fields.length != k.Length {
		return &badRequest{"a Content-Length that is not the body's length"}
	}
	if req.Trailer.Len() > 0 {
		r.setTrailer()
	}
	h.length, h.chunked = k.Length, k.Length < 0
	if k.Length == 0 && !sendsZeroLength(h.method) {
		h.length = -1
	}
	if k.Expect = 0; r.hasBody() && (req.ExpectContinue || h.fields.expect) {
		if h.expects, k.Expect = true, r.client.cfg.ContinueTimeout; k.Expect < 0 {
			k.Expect = math.MaxInt64 // until the server asks for the body
		}
	}
	return nil
}

// hasBody reports whether the request has a body.
func (r *Response) hasBody() bool { return r.call.Body != nil || len(r.call.Bytes) > 0 }

// sendsZeroLength reports whether a request with this method sends Content-Length: 0 if it has no body (RFC 9110 §8.6).
func sendsZeroLength(method string) bool {
	return method == "POST" || method == "PUT" || method == "PATCH"
}

// setTrailer sets the trailer fields of the call. The body is then sent without a length.
func (r *Response) setTrailer() {
	k, req := &r.call, r.head.req
	if k.Body == nil {
		body := req.Body
		k.Bytes = nil
		k.Body = io.NopCloser(bytes.NewReader(body))
		k.Rewind = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	k.Length, r.head.trailer = -1, &req.Trailer
	k.Trailer = func() (*Header, error) { return &req.Trailer, checkTrailer(&req.Trailer) }
}

// setStream makes Request.Stream the body of the call.
func (r *Response) setStream() {
	k, req := &r.call, r.head.req
	k.Body, k.Length = asBody(req.Stream), -1
	if req.StreamLength > 0 {
		k.Length = req.StreamLength
	}
	switch s := req.Stream.(type) {
	case *bytes.Buffer:
		r.setKnownLength(s.Len())
	case *bytes.Reader:
		again := *s
		r.setKnownLength(s.Len())
		k.Rewind = func() (io.ReadCloser, error) { copied := again; return io.NopCloser(&copied), nil }
	case *strings.Reader:
		again := *s
		r.setKnownLength(s.Len())
		k.Rewind = func() (io.ReadCloser, error) { copied := again; return io.NopCloser(&copied), nil }
	}
	if rewind := req.Rewind; rewind != nil {
		k.Rewind = func() (io.ReadCloser, error) {
			body, err := rewind()
			if err != nil {
				return nil, err
			}
			return asBody(body), nil
		}
	}
}

// setKnownLength sets the length of a stream to n. An empty stream counts as no body.
func (r *Response) setKnownLength(n int) {
	k := &r.call
	if k.Length < 0 {
		k.Length = int64(n)
	}
	if n == 0 && k.Length == 0 {
		k.Body = nil
	}
}

// asBody returns s with a Close method.
func asBody(s io.Reader) io.ReadCloser {
	if c, ok := s.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(s)
}

// closeStream closes the body of a request that was not sent.
func (r *Response) closeStream() {
	if c, ok := r.head.req.Stream.(io.Closer); ok && len(r.head.req.Body) == 0 {
		c.Close()
	}
}
