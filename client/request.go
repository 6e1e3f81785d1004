package client

import (
	"io"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/client/internal/target"
	"github.com/shockwave-go/shockwave/internal/join/dial"
)

// Request is a request to send. The zero value can be filled in and passed to Client.Do any number of times, but not to
// two calls at once. Do reads it only while it runs, except where noted below. The whole request is checked before
// anything is sent: values that would split a message, or that servers might understand differently, are refused.
type Request struct {
	// Method is sent as it is written; empty means GET. CONNECT is refused.
	Method string
	// URL is an absolute URL with the scheme http or https. It must be percent-encoded where that is necessary. Userinfo
	// is sent as Authorization, unless Header has one. A host that is not ASCII is converted. The fragment is not sent.
	URL string
	// Host is sent instead of the URL's host; empty means the URL's. The connection, TLS and cookies use the URL's host.
	Host string
	// Header holds the fields to send in addition to those that the client sets. Host, Content-Length, Transfer-Encoding,
	// Trailer, Keep-Alive, Upgrade, HTTP2-Settings, Proxy-Connection and Proxy-Authorization are refused, except for a
	// Content-Length that is correct. Connection may be "close" or "keep-alive", Expect "100-continue", and TE "trailers";
	// other values are refused. If there is an Accept-Encoding or a Range, the body is not decompressed. An empty
	// User-Agent omits that field.
	Header Header

	// Body is sent as it is. It must not be changed until the response has been closed.
	Body []byte
	// Stream, if it is not nil and Body is empty, is read and sent on a goroutine of its own, since the response may come
	// before the end of the stream. If it is an io.Closer it is always closed, perhaps after Do has returned. The length
	// of a *bytes.Buffer, *bytes.Reader or *strings.Reader is known; the latter two can be sent again.
	Stream io.Reader
	// StreamLength, if positive, is the length of Stream, which must have exactly that many bytes. Otherwise Stream is
	// sent in chunks, or over HTTP/2 without a length.
	StreamLength int64
	// Rewind returns Stream from its beginning, for a redirect or another attempt. If it is nil Stream cannot be sent
	// again.
	Rewind func() (io.Reader, error)
	// Trailer holds fields that follow the body. Their names are announced, and the body is sent in chunks. The values may
	// be set until the body has returned io.EOF. Fields that must not be trailers (RFC 9110 §6.5.1) are refused.
	Trailer Header
	// ExpectContinue delays the body until the server asks for it, or for at most Config.ContinueTimeout.
	ExpectContinue bool

	// Timeout, if not zero, replaces the one of Config; negative means none.
	Timeout time.Duration
	// Close closes the connection after this request.
	Close bool
	// Idempotent says that sending the request twice does no harm, whatever its method is. See Retry.
	Idempotent bool
	// Interim, if set, is called with each informational response, such as 103 Early Hints. If it returns an error the
	// request fails with it. h is only valid until Interim returns.
	Interim func(status int, h *Header) error
	// Trace, if not nil, replaces the one of Config.
	Trace *Trace

	to       target.Target // the parsed URL; it is not parsed again while URL stays the same
	loginErr error         // the error of the arguments of SetBasicAuth
}

// NewRequest returns a request. It does not check its arguments; Do does.
func NewRequest(method, url string) *Request { return &Request{Method: method, URL: url} }

// SetBasicAuth sets an Authorization field with the user and the password (RFC 7617). Do refuses the request if one of
// them has control bytes, or the user has a colon.
func (q *Request) SetBasicAuth(user, password string) {
	q.loginErr = nil
	if strings.ContainsRune(user, ':') || strings.ContainsFunc(user+password, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		q.loginErr = errLogin // RFC 7617 §2
	}
	q.Header.Set("Authorization", dial.Basic(user, password))
}

var errLogin = &badRequest{"login with a control byte, or a colon in the user"}

// Reset sets q to the zero Request but keeps its memory.
func (q *Request) Reset() {
	h, t, to := q.Header, q.Trailer, q.to
	h.Trim(maxKeptHeader)
	t.Trim(maxKeptHeader)
	*q = Request{Header: h, Trailer: t, to: to}
}

// maxKeptHeader is how much memory for fields Reset keeps.
const maxKeptHeader = 4 << 10

// method returns Method, or its default.
func (q *Request) method() string {
	if q.Method == "" {
		return "GET"
	}
	return q.Method
}

// replayable reports whether sending the request twice does no harm (RFC 9110 §9.2.2), or the program says so.
func (q *Request) replayable(method string) bool {
	if q.Idempotent {
		return true
	}
	switch method {
	case "GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE":
		return true
	}
	return q.Header.Has("Idempotency-Key") || q.Header.Has("X-Idempotency-Key")
}
