package client

import (
	"io"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
)

// Request says what is to be sent. The zero value is filled in and given to Client.Do as often as wanted, but not to two
// at the same time; what stands in it is read only while Do runs, except where otherwise noted. All of it is checked before
// anything is sent: what would split a message, or mean one thing to one server and another to the next, is refused.
type Request struct {
	// Method is sent as it is written; "" is GET. CONNECT is refused.
	Method string
	// URL is absolute, with the scheme http or https; what has to be percent-encoded is that already. A user is sent
	// as Authorization, unless there is one in Header. A host that is not in ASCII is converted; a fragment is not sent.
	URL string
	// Host is sent instead of the URL's host; "" is the URL's. The connection, its TLS and cookies go by the URL.
	Host string
	// Header has the fields that are sent besides those that are the client's: Host, Content-Length, Transfer-Encoding,
	// Trailer, Keep-Alive, Upgrade, HTTP2-Settings, Proxy-Connection and Proxy-Authorization are refused, unless a
	// Content-Length says what is sent anyway. Of Connection "close" and "keep-alive" are understood, of Expect
	// "100-continue", of TE "trailers", and nothing else. With an Accept-Encoding, or a Range, bodies are not decompressed;
	// an empty User-Agent has none sent.
	Header Header

	// Body is sent as it is. It is read until the response has been closed.
	Body []byte
	// Stream, if it is not nil and there is no Body, is read and sent, on a goroutine of its own: the response may come
	// before its end. It is closed if it is an io.Closer, perhaps after Do has returned, in any case. Of *bytes.Buffer,
	// *bytes.Reader and *strings.Reader the length is known, and the last two can be sent again.
	Stream io.Reader
	// StreamLength is how long Stream is, if it is positive: then it must have that many bytes. Otherwise it is sent with
	// chunks, or over HTTP/2 without a length.
	StreamLength int64
	// Rewind returns Stream anew, for a redirect or another attempt. Nil: it cannot be had again.
	Rewind func() (io.Reader, error)
	// Trailer has fields that follow the body, which it has the client send with chunks; their names are announced.
	// The values may be set until the body has said io.EOF. Fields that may be no trailers (RFC 9110 §6.5.1) are refused.
	Trailer Header
	// ExpectContinue has the body wait until the server asks for it, for Config.ContinueTimeout at the most.
	ExpectContinue bool

	// Timeout takes the place of Config's, if it is not zero; negative is none.
	Timeout time.Duration
	// Close has the connection used for no other request.
	Close bool
	// Idempotent says that sending the request twice does no harm, whatever its method: see Retry.
	Idempotent bool
	// Interim, if set, is told of informational responses, such as 103 Early Hints; an error ends the request with it. h is
	// valid until it returns.
	Interim func(status int, h *Header) error
	// Trace takes the place of Config's, if it is not nil.
	Trace *Trace

	to    target // of URL: what stays the same is not taken apart again
	login error  // why what SetBasicAuth was given is no login
}

// NewRequest returns a request; what is wrong with it Do says.
func NewRequest(method, url string) *Request { return &Request{Method: method, URL: url} }

// SetBasicAuth has a user and a password sent as Authorization (RFC 7617). They may not have control bytes, and the user no
// colon: Do would refuse them.
func (q *Request) SetBasicAuth(user, password string) {
	q.login = nil
	if strings.ContainsRune(user, ':') || strings.ContainsFunc(user+password, func(c rune) bool { return c < ' ' || c == 0x7f }) {
		q.login = errLogin // RFC 7617 §2
	}
	q.Header.Set("Authorization", dial.Basic(user, password))
}

var errLogin = &badRequest{"a login with a control byte, or a colon in the user"}

// Reset makes q the zero Request, and keeps memory.
func (q *Request) Reset() {
	h, t, to := q.Header, q.Trailer, q.to
	h.Trim(keepHeader)
	t.Trim(keepHeader)
	*q = Request{Header: h, Trailer: t, to: to}
}

// keepHeader is how much memory is kept for the fields of other requests.
const keepHeader = 4 << 10

// method returns Method or its default.
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
