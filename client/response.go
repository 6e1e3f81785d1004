package client

import (
	"context"
	"crypto/tls"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/coding"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// Response is a response whose head has come. What its methods return as []byte or *Header stands in its buffers and is
// valid until Close: copy what you keep. After Close the Response is used for other requests; no method may be called any
// more. One goroutine at a time uses it, except where otherwise noted.
type Response struct {
	client *Client
	raw    httpclient.Response
	call   httpclient.Call
	head   requestHead
	own    Request // of Get and the like

	refs    atomic.Int32 // the program, until Close; who reads; the request's body, until it has been sent
	closed  atomic.Bool
	sending sync.WaitGroup // Request.Body is being sent
	hooks   httpclient.Trace
	trace   *Trace // nil is none

	status  string // once it was asked for
	cancel  context.CancelFunc
	decoder *coding.Reader // made once it was needed
	coded   bool           // decoder is what is read
	read    int64          // bytes that Body has given out
	failure error          // of Body, which stays
}

// newResponse makes a Response.
func (c *Client) newResponse() *Response {
	r := &Response{client: c}
	r.hooks = httpclient.Trace{Got: r.began, Sent: r.sent}
	return r
}

// response returns a Response that is used for nothing else.
func (c *Client) response() *Response {
	r, ok := c.responses.Get().(*Response)
	if !ok {
		r = c.newResponse()
	}
	r.refs.Store(1)
	r.closed.Store(false)
	return r
}

// StatusCode returns the status, 200 to 999 or 101.
func (r *Response) StatusCode() int { return r.raw.Status }

// Status returns the status and its reason, such as "200 OK". It allocates once.
func (r *Response) Status() string {
	if r.status == "" {
		b := strconv.AppendInt(make([]byte, 0, 64), int64(r.raw.Status), 10)
		b = append(b, ' ')
		if len(r.raw.Reason) > 0 {
			b = append(b, r.raw.Reason...)
		} else {
			b = append(b, http1.StatusText(r.raw.Status)...)
		}
		r.status = string(b)
	}
	return r.status
}

// Proto returns the version of HTTP: "HTTP/1.0", "HTTP/1.1" or "HTTP/2.0".
func (r *Response) Proto() string {
	switch {
	case r.raw.Major == 2:
		return "HTTP/2.0"
	case r.raw.Minor == 0:
		return "HTTP/1.0"
	}
	return "HTTP/1.1"
}

// Header returns the fields of the head. If the body is decompressed, they are those of the body as it came. They must not
// be changed.
func (r *Response) Header() *Header { return r.raw.Header() }

// Trailer returns the trailer fields; they are there when the body has said io.EOF.
func (r *Response) Trailer() *Header { return r.raw.Trailer() }

// ContentLength returns how long the body is by its head, -1 if only its end tells or it is decompressed. To HEAD it is the
// length that the body of a GET would have.
func (r *Response) ContentLength() int64 {
	switch {
	case r.coded:
		return -1
	case r.head.method == "HEAD" && r.raw.Major == 1: // where the body's length is what counts, and that has none
		n, err := strconv.ParseUint(r.Header().GetString("Content-Length"), 10, 63)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	return r.raw.Length
}

// Decompressed reports whether Body undoes the body's Content-Encoding.
func (r *Response) Decompressed() bool { return r.coded }

// URL returns the URL that the response came from: that of the request, or of the last redirect. The string may be kept.
func (r *Response) URL() string { return r.head.to.text }

// TLS returns the state of the connection's TLS, nil without TLS. It must not be changed.
func (r *Response) TLS() *tls.ConnectionState { return r.raw.TLS }

// Close gives up the rest of the body, and all that r has given out. If the rest is near its end it is read, so that the
// connection can be used for other requests; else the connection, or the stream, ends. Close may be called while another
// goroutine reads the body, which then fails. It returns nil.
func (r *Response) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	r.raw.Close()
	if r.coded {
		r.decoder.Close()
	}
	if r.cancel != nil {
		r.cancel()
	}
	r.sending.Wait()
	r.leave()
	return nil
}

// leave is called by each who uses r when done with it.
func (r *Response) leave() {
	if r.refs.Add(-1) == 0 {
		r.client.takeBack(r)
	}
}

// enter makes the caller one who uses r, and reports whether it may.
func (r *Response) enter() bool {
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

// keepText is the most memory for a response that is kept for others.
const keepText = 16 << 10

// takeBack makes r fit for other requests. Nobody uses it.
func (c *Client) takeBack(r *Response) {
	if c.cfg.Poison {
		r.raw.Poison()
		return
	}
	r.raw.Trim(keepText)
	r.call.Reset()
	r.head.reset()
	r.own.Reset()
	r.trace, r.status, r.cancel, r.coded, r.read, r.failure = nil, "", nil, false, 0, nil
	c.responses.Put(r)
}
