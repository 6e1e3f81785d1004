package httpclient

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

// Key says what connections must have in common so that one can be used instead of another.
type Key struct {
	Secure  bool   // over TLS
	Host    string // with its port, unless it is the scheme's
	Via     string // the proxy's URL, as Config.Open understands it; empty for none
	Version Version
}

// Version says which versions of HTTP may be spoken.
type Version uint8

// The versions that a Key may allow.
const (
	Any   Version = iota // HTTP/2 if the server chooses it in the TLS handshake, else HTTP/1.1; HTTP/3 if it offers that
	HTTP1                // HTTP/1.1
	HTTP2                // HTTP/2, without TLS by prior knowledge (RFC 9113 §3.3)
	HTTP3                // HTTP/3, by prior knowledge (RFC 9114 §3.1)
)

// Head is the request line and the fields of a request.
type Head interface {
	// AppendHTTP1 appends the request line, the fields and the empty line. direct reports whether the request goes to its
	// server or through a tunnel; otherwise it goes to a proxy, with its target in absolute-form (RFC 9112 §3.2.2).
	AppendHTTP1(dst []byte, direct bool) []byte
	// Section is the head as later versions have it: the fields, pseudo-fields first. AppendTo must not block.
	carrier.Section
}

// Call is a request to send. It can be used again when nothing of it is being sent, Trace.Sent, if set, has been called, and
// its Response has been closed or has dropped its head.
type Call struct {
	Method string
	Key    Key
	Head   Head

	// Body, unless nil, is the request's body. It is always closed. Bytes is a body that is in memory already; it must not
	// be changed until the Response is closed. Length is the length of the body, -1 if it is not known.
	Body   io.ReadCloser
	Bytes  []byte
	Length int64
	// Rewind returns the body from its beginning, for another attempt. If it is nil the body cannot be sent again.
	Rewind func() (io.ReadCloser, error)
	// Trailer, unless nil, returns the trailer section. It is called when the body has been read.
	Trailer func() (*shockwave.Header, error)

	HTTP3      bool          // the request may be sent over HTTP/3 if its server offers that
	Replayable bool          // sending the request twice does no harm (RFC 9110 §9.2.2)
	Close      bool          // the connection is used for no other request
	Tunnel     bool          // the method is CONNECT: a 2xx response opens a tunnel
	Expect     time.Duration // how long the body waits for 100 Continue; 0 is not at all
	Timeouts   *Timeouts
	Trace      *Trace // may be nil

	// Interim, unless nil, is called with each informational response. If it returns an error the request fails with it. h
	// is only valid until Interim returns.
	Interim func(status int, h *shockwave.Header) error

	// WaitContext, unless nil, is called when the request has to wait: for a connection, for room on one, or before it is sent
	// again. It returns a context derived from ctx, which bounds the wait.
	WaitContext func(ctx context.Context) context.Context

	// The following is kept for the next request.
	head   []byte         // of the request
	answer http1.Response // the head of the response
	pool   *hostPool      // the one that the call used last
	kept   bool           // Body was not read by an attempt that has failed, and is still open
	late   bool           // the request is not sent before the handshake is complete: it was, and came too early
}

// Timeouts bound the parts of a request. Zero means no bound.
type Timeouts struct {
	Head time.Duration // from the end of the request until the response's head
	Idle time.Duration // for the next byte of the response's body
}

// Trace holds functions that are called as a request proceeds. Each may be nil.
type Trace struct {
	Get       func(key Key)
	Got       func(nc net.Conn, reused bool, idle time.Duration)
	FirstByte func()
	Head      func()          // is called when the head has been sent
	Expects   func()          // is called when the body begins to wait for 100 Continue
	Sent      func(err error) // is called when the whole request has been sent, or with the reason why it has not
	PutIdle   func(err error) // is called when the connection is kept for other requests, or with the reason why not
}

// requestBegun calls Got and Head, and Sent if no body follows (sends is false).
func (t *Trace) requestBegun(on connInfo, sends bool) {
	if t.Got != nil {
		t.Got(on.nc, on.reused, on.idle)
	}
	if t.Head != nil {
		t.Head()
	}
	if !sends && t.Sent != nil {
		t.Sent(nil)
	}
}
