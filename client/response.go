package client

import (
	"crypto/tls"
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// Response is a response whose head has arrived. Each []byte or *Header that a method returns is part of the Response's
// buffers and only valid until Close; copy what you keep. After Close the Response is reused for other requests, and no
// method may be called any more. Only one goroutine at a time may use it, except where noted.
type Response struct {
	of     subject
	raw    httpclient.Response
	body   Body
	life   life
	status string // made by the first call of Status
}

// init connects the parts of a new Response.
func (r *Response) init(recycle func()) {
	r.life.recycle = recycle
	r.body.of, r.body.raw, r.body.life = &r.of, &r.raw, &r.life
}

// maxKeptText is how much memory for its text a Response keeps when it is reused.
const maxKeptText = 16 << 10

// reset prepares r, which is closed, for another request.
func (r *Response) reset() {
	r.raw.Trim(maxKeptText)
	r.body.reset()
	r.of, r.status, r.life.cancel = subject{}, "", nil
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
	case r.body.encoded:
		return -1
	case r.of.method == "HEAD" && r.raw.Major == 1: // raw.Length is that of the body, and there is none
		n, err := strconv.ParseUint(r.Header().GetString("Content-Length"), 10, 63)
		if err != nil {
			return -1
		}
		return int64(n)
	}
	return r.raw.Length
}

// Decompressed reports whether Body decodes the body's Content-Encoding.
func (r *Response) Decompressed() bool { return r.body.encoded }

// URL returns the URL of the response: that of the request, or of the last redirect. The string may be kept.
func (r *Response) URL() string { return r.of.url }

// TLS returns the state of TLS, nil without TLS. It must not be changed.
func (r *Response) TLS() *tls.ConnectionState { return r.raw.TLS }

// Body returns the body, decompressed if the client has asked for that. It is never nil.
func (r *Response) Body() *Body { return &r.body }

// AppendBody appends the rest of the body to dst and returns it. The caller owns the memory, which grows as the body
// arrives. AppendBody fails as Body's Read does, and with ErrBodyTooLarge if the body exceeds Config.MaxBodyBytes; it then
// returns what has been read so far.
func (r *Response) AppendBody(dst []byte) ([]byte, error) { return r.body.appendTo(dst) }

// Close drops the rest of the body and invalidates everything that r has returned. If little of the body is left it is
// read, so that the connection can be reused; otherwise the connection, or the stream, is closed. Close may be called
// while another goroutine reads the body; that read fails. Close returns nil.
func (r *Response) Close() error { return r.body.Close() }
