package client

import (
	"bytes"
	"io"
	"math"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
)

// checkTrailer refuses what may not follow a body (RFC 9110 §6.5.1).
func checkTrailer(h *Header) error {
	for i := range h.Len() {
		name, value := h.At(i)
		if err := checkField(name, value); err != nil {
			return err
		}
		if http1.ForbiddenTrailer(name) {
			return &badRequest{"the field " + string(name) + " may not be a trailer"}
		}
	}
	return nil
}

// setBody makes the call's body.
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
	if h.asked.length >= 0 && h.asked.length != k.Length {
		return &badRequest{"a Content-Length that is not that of the body"}
	}
	if req.Trailer.Len() > 0 {
		r.setTrailer()
	}
	h.length, h.chunks = k.Length, k.Length < 0
	if k.Length == 0 && !saysZero(h.method) {
		h.length = -1
	}
	if k.Expect = 0; r.hasBody() && (req.ExpectContinue || h.asked.expect) {
		if h.expects, k.Expect = true, r.client.cfg.ContinueTimeout; k.Expect < 0 {
			k.Expect = math.MaxInt64 // until the server says so
		}
	}
	return nil
}

// hasBody reports whether the request has a body.
func (r *Response) hasBody() bool { return r.call.Body != nil || len(r.call.Bytes) > 0 }

// saysZero tells of which methods a request without a body says so (RFC 9110 §8.6).
func saysZero(method string) bool { return method == "POST" || method == "PUT" || method == "PATCH" }

// setTrailer has the trailer fields follow the body, which then has no length.
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

// setStream has a stream sent.
func (r *Response) setStream() {
	k, req := &r.call, r.head.req
	k.Body, k.Length = asBody(req.Stream), -1
	if req.StreamLength > 0 {
		k.Length = req.StreamLength
	}
	switch s := req.Stream.(type) {
	case *bytes.Buffer:
		r.known(s.Len())
	case *bytes.Reader:
		again := *s
		r.known(s.Len())
		k.Rewind = func() (io.ReadCloser, error) { copied := again; return io.NopCloser(&copied), nil }
	case *strings.Reader:
		again := *s
		r.known(s.Len())
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

// known sets the length of a stream that tells it. An empty one is no body.
func (r *Response) known(n int) {
	k := &r.call
	if k.Length < 0 {
		k.Length = int64(n)
	}
	if n == 0 && k.Length == 0 {
		k.Body = nil
	}
}

// asBody returns a stream as what is closed in any case.
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
