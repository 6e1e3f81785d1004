package client

import (
	"context"
	"crypto/tls"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/compress/coding"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Response is a response whose head has arrived. Each []byte or *Header that a method returns is part of the Response's
// buffers and only valid until Close; copy what you keep. After Close the Response is reused for other requests, and no
// method may be called any more. Only one goroutine at a time may use it, except where noted.
type Response struct {
	client *Client
	raw    httpclient.Response
	call   httpclient.Call
	head   requestHead
	own    Request // used by Get and similar methods

	refs    atomic.Int32 // uses: the program until Close, a read, and the request's body until it is sent
	closed  atomic.Bool
	sending sync.WaitGroup // counts Request.Body while it is being sent
	hooks   httpclient.Trace
	trace   *Trace // may be nil

	status  string // made by the first call of Status
	cancel  context.CancelFunc
	decoder *coding.Reader // made when it is first needed
	encoded bool           // the body is read through decoder
	read    int64          // how many bytes Body has returned
	bodyErr error          // the error that Body returns from now on
}

// newResponse allocates a Response.
func (c *Client) newResponse() *Response {
	r := &Response{client: c}
	r.hooks = httpclient.Trace{Got: r.began, Sent: r.sent}
	return r
}

// response returns a Response that is not in use.
func (c *Client) response() *Response {
	r, ok := c.responses.Get().(*Response)
	if !ok {
		r = c.newResponse()
	}
	r.refs.Store(1)
	r.closed.Store(false)
	return r
}

// StatusCode returns the status, 200 to 999.
func (r *Response) StatusCode() int { return r.raw.Status }

// Status returns the status and its reason phrase, such as "200 OK". Its first call allocates.
func (r *Response) Status() string {
	if r.status == "" {
		b := strconv.AppendInt(make([]byte, 0, 64), int64(r.raw.Status), 10)
		b = append(b, ' ')
		if reason := r.raw.Head().Reason; len(reason) > 0 {
			b = append(b, reason...)
		} else {
			b = append(b, http1.StatusText(r.raw.Status)...)
		}
		r.status = string(b)
	}
	return r.status
}

// Proto returns the version of HTTP: "HTTP/1.0", "HTTP/1.1", "HTTP/2.0" or "HTTP/3.0".
func (r *Response) Proto() string {
	switch {
	case r.raw.Major == 3:
		return "HTTP/3.0"
	case r.raw.Major == 2:
		return "HTTP/2.0"
	case r.raw.Minor == 0:
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// Header returns the fields of the head, which must not be changed. If the body is decompressed the fields still describe
// the body as it was received.
func (r *Response) Header() *Header { return r.raw.Header() }

// Trailer returns the trailer fields. They are complete when the body has returned io.EOF.
func (r *Response) Trailer() *Header { return r.raw.Trailer() }

// ContentLength returns the length of the body according to the head. It is -1 if only the body's end tells, or if the
// body is decompressed. For HEAD it is the length that the body of a GET would have.
func (r *Response) ContentLength() int64 {
	switch {
	case r.encoded:
		return -1
	case r.head.method == "HEAD" && r.raw.Major == 1: // raw.Length is that of the body, and there is none
		n, err := strconv.ParseUint(r.Header().GetString("Content-Length"), 10, 63)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	return r.raw.Length
}

// Decompressed reports whether Body decodes the body's Content-Encoding.
func (r *Response) Decompressed() bool { return r.encoded }

// URL returns the URL of the response: that of the request, or of the last redirect. The string may be kept.
func (r *Response) URL() string { return r.head.to.text }

// TLS returns the state of TLS, nil without TLS. It must not be changed.
func (r *Response) TLS() *tls.ConnectionState { return r.raw.TLS }

// Close drops the rest of the body and invalidates everything that r has returned. If little of the body is left it is
// read, so that the connection can be reused; otherwise the connection, or the stream, is closed. Close may be called
// while another goroutine reads the body; that read fails. Close returns nil.
func (r *Response) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.raw.Close()
	if r.encoded {
		r.decoder.Close()
	}
	if r.cancel != nil {
		r.cancel()
	}
	r.sending.Wait()
	r.release()
	return nil
}

// release is called once for each use of r when it is over.
func (r *Response) release() {
	if r.refs.Add(-1) == 0 {
		r.client.recycle(r)
	}
}

// acquire registers another use of r and reports whether it is allowed.
func (r *Response) acquire() bool {
	for {
		n := r.refs.Load()
		if n == 0 || r.closed.Load() {
			return false
		}
		if r.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// maxKeptText is how much memory for its text a Response keeps when it is recycled.
const maxKeptText = 16 << 10

// recycle makes r, which is not in use any more, available for other requests.
func (c *Client) recycle(r *Response) {
	if c.cfg.Poison {
		r.raw.Poison()
		return
	}
	r.raw.Trim(maxKeptText)
	r.call.Reset()
	r.head.reset()
	r.own.Reset()
	r.trace, r.status, r.cancel, r.encoded, r.read, r.bodyErr = nil, "", nil, false, 0, nil
	c.responses.Put(r)
}
