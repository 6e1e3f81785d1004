package httpclient

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
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
	head     []byte         // of the request
	response http1.Response // the head of the response
	pool     *hostPool      // the one that the call used last
	kept     bool           // Body was not read by an attempt that has failed, and is still open
	late     bool           // the request is not sent before the handshake is complete: it was, and came too early
}

// Timeouts bound the parts of a request. Zero means no bound.
type Timeouts struct {
	Head time.Duration // from the end of the request until the response's head
	Idle time.Duration // for the next byte of the response's body
}

// Reset sets k to the zero Call but keeps its memory, and the way to the connections that it used. k must not be in use.
func (k *Call) Reset() { *k = Call{head: k.head[:0], response: k.response, pool: k.pool} }

// maxInOneWrite is the size up to which a body that is in memory is sent in one write with the head.
const maxInOneWrite = 64 << 10

// streams reports whether a goroutine of its own sends the body.
func (k *Call) streams() bool {
	return k.Body != nil || len(k.Bytes) > maxInOneWrite || k.Expect > 0 && len(k.Bytes) > 0
}

// body returns the body for the goroutine that sends it.
func (k *Call) body() io.ReadCloser {
	if k.Body != nil {
		return k.Body
	}
	return io.NopCloser(bytes.NewReader(k.Bytes))
}

func (k *Call) closeBody() {
	if k.Body != nil {
		k.Body.Close()
	}
}

// rewind replaces a body that has been read by one from its beginning. It reports false if there is none.
func (k *Call) rewind() bool {
	if k.Body == nil || k.kept {
		k.kept = false
		return true
	}
	if k.Rewind == nil {
		return false
	}
	body, err := k.Rewind()
	if err != nil {
		return false
	}
	k.Body = body
	return true
}

// mayUseHTTP3 reports whether a request may be sent over HTTP/3 if its server offers that.
func (k *Call) mayUseHTTP3() bool {
	return k.HTTP3 && k.Key.Secure && k.Key.Via == "" && !k.Tunnel
}
