package client

import (
	"bytes"
	"io"
	"strings"
)

// setTrailer sets the trailer fields of the call. The body is then sent without a length.
func (o *outgoing) setTrailer() {
	call, req := &o.call, o.req
	if call.Body == nil {
		body := req.Body
		call.Bytes = nil
		call.Body = io.NopCloser(bytes.NewReader(body))
		call.Rewind = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	call.Length, o.head.Trailer = -1, &req.Trailer
	call.Trailer = func() (*Header, error) { return &req.Trailer, checkTrailer(&req.Trailer) }
}

// setStream makes Request.Stream the body of the call.
func (o *outgoing) setStream() {
	call, req := &o.call, o.req
	call.Body, call.Length = asBody(req.Stream), -1
	if req.StreamLength > 0 {
		call.Length = req.StreamLength
	}
	switch s := req.Stream.(type) {
	case *bytes.Buffer:
		o.setKnownLength(s.Len())
	case *bytes.Reader:
		again := *s
		o.setKnownLength(s.Len())
		call.Rewind = func() (io.ReadCloser, error) { copied := again; return io.NopCloser(&copied), nil }
	case *strings.Reader:
		again := *s
		o.setKnownLength(s.Len())
		call.Rewind = func() (io.ReadCloser, error) { copied := again; return io.NopCloser(&copied), nil }
	}
	if rewind := req.Rewind; rewind != nil {
		call.Rewind = func() (io.ReadCloser, error) {
			body, err := rewind()
			if err != nil {
				return nil, err
			}
			return asBody(body), nil
		}
	}
}

// setKnownLength sets the length of a stream to n. An empty stream counts as no body.
func (o *outgoing) setKnownLength(n int) {
	call := &o.call
	if call.Length < 0 {
		call.Length = int64(n)
	}
	if n == 0 && call.Length == 0 {
		call.Body = nil
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
func (o *outgoing) closeStream() {
	if c, ok := o.req.Stream.(io.Closer); ok && len(o.req.Body) == 0 {
		c.Close()
	}
}
